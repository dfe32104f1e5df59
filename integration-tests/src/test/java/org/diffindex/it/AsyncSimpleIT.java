package org.diffindex.it;

import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract of {@link IndexScheme#ASYNC_SIMPLE}. */
@ExtendWith(ClusterExtension.class)
class AsyncSimpleIT extends SchemeContract {
    @Override
    IndexScheme scheme() {
        return IndexScheme.ASYNC_SIMPLE;
    }
}
