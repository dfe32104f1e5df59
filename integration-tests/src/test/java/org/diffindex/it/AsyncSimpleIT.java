package org.diffindex.it;

import org.diffindex.model.IndexScheme;

/** The contract of {@link IndexScheme#ASYNC_SIMPLE}. */
class AsyncSimpleIT extends SchemeContract {
    @Override
    IndexScheme scheme() {
        return IndexScheme.ASYNC_SIMPLE;
    }
}
