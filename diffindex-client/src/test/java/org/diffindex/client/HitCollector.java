package org.diffindex.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.function.Consumer;

/** A subscriber that keeps what it receives, and requests nothing by itself. */
class HitCollector implements Flow.Subscriber<IndexHit> {
    final List<IndexHit> hits = new ArrayList<>();
    Flow.Subscription subscription;
    Throwable error;
    int completions;

    private final Consumer<IndexHit> listener;

    HitCollector(Consumer<IndexHit> listener) {
        this.listener = listener;
    }

    HitCollector() {
        this(hit -> {});
    }

    @Override
    public void onSubscribe(Flow.Subscription granted) {
        subscription = granted;
    }

    @Override
    public void onNext(IndexHit hit) {
        hits.add(hit);
        listener.accept(hit);
    }

    @Override
    public void onError(Throwable failure) {
        error = failure;
    }

    @Override
    public void onComplete() {
        completions++;
    }
}
