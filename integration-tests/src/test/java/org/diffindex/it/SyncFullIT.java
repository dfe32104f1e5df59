package org.diffindex.it;

import org.diffindex.model.IndexScheme;

/** The contract of {@link IndexScheme#SYNC_FULL}. */
class SyncFullIT extends SchemeContract {
    @Override
    IndexScheme scheme() {
        return IndexScheme.SYNC_FULL;
    }
}
