package org.diffindex.it;

import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract of {@link IndexScheme#SYNC_FULL}. */
@ExtendWith(ClusterExtension.class)
class SyncFullIT extends SchemeContract {
    @Override
    IndexScheme scheme() {
        return IndexScheme.SYNC_FULL;
    }
}
