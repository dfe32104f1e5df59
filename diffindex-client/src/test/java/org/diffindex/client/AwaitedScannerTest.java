package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer.ScanController;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer.ScanResumer;
import org.apache.hadoop.hbase.client.Cursor;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.junit.jupiter.api.Test;

/** Tests the scanner by the calls that HBase's client makes. */
class AwaitedScannerTest {
    private static final Result ROW = new Result();

    private final AwaitedLookUps lookUps = new AwaitedLookUps();

    /** What the scanner asks of HBase's client. */
    private final List<String> asked = new ArrayList<>();

    private Runnable onResume = () -> {};

    private final ScanController controller = new ScanController() {
        @Override
        public ScanResumer suspend() {
            asked.add("suspend");
            return () -> {
                asked.add("resume");
                onResume.run();
            };
        }

        @Override
        public void terminate() {
            asked.add("terminate");
        }

        @Override
        public Optional<Cursor> cursor() {
            return Optional.empty();
        }
    };

    private AwaitedAnswer awaited(AwaitedScanner scanner) {
        try {
            Result row = scanner.next();
            throw new AssertionError("There is an answer: " + row);
        } catch (AwaitedAnswer e) {
            return e;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void awaitsEachAnswerAndStopsTheScanUntilItsRowsAreTaken() throws IOException {
        AwaitedScanner scanner = new AwaitedScanner(new Scan(), lookUps);
        AwaitedAnswer first = awaited(scanner);
        assertThat(first.isThere()).isFalse();
        List<String> told = new ArrayList<>();
        first.whenThere(() -> told.add("there"));
        scanner.onNext(new Result[] {ROW, ROW}, controller);
        assertThat(told).containsExactly("there");
        assertThat(scanner.next()).isSameAs(ROW);
        assertThat(scanner.next()).isSameAs(ROW);
        assertThat(asked).containsExactly("suspend");
        assertThat(awaited(scanner).isThere()).isFalse();
        assertThat(asked).containsExactly("suspend", "resume");
        assertThat(awaited(scanner).isThere()).isFalse();
        assertThat(asked).hasSize(2);
    }

    /** HBase's client may know of the end when the scan goes on, and says so within that call. */
    @Test
    void endsWithinTheCallThatLetsTheScanGoOn() throws IOException {
        AwaitedScanner scanner = new AwaitedScanner(new Scan(), lookUps);
        onResume = scanner::onComplete;
        scanner.onNext(new Result[] {ROW}, controller);
        assertThat(scanner.next()).isSameAs(ROW);
        assertThat(scanner.next()).isNull();
        assertThat(scanner.next()).isNull();
    }

    @Test
    void doesNotStopAScanThatHasReachedItsLimit() throws IOException {
        AwaitedScanner scanner = new AwaitedScanner(new Scan().setLimit(2), lookUps);
        scanner.onNext(new Result[] {ROW}, controller);
        assertThat(scanner.next()).isSameAs(ROW);
        assertThat(awaited(scanner).isThere()).isFalse();
        scanner.onNext(new Result[] {ROW}, controller);
        scanner.onComplete();
        assertThat(asked).containsExactly("suspend", "resume");
        assertThat(scanner.next()).isSameAs(ROW);
        assertThat(scanner.next()).isNull();
    }

    @Test
    void returnsTheRowsThatCameBeforeAFailure() throws IOException {
        AwaitedScanner scanner = new AwaitedScanner(new Scan(), lookUps);
        onResume = () -> scanner.onError(new IOException("on purpose"));
        scanner.onNext(new Result[] {ROW}, controller);
        assertThat(scanner.next()).isSameAs(ROW);
        assertThatThrownBy(scanner::next).isInstanceOf(IOException.class).hasMessage("on purpose");
    }

    @Test
    void aScanThatIsClosedEndsAtItsNextAnswer() {
        AwaitedScanner scanner = new AwaitedScanner(new Scan(), lookUps);
        scanner.onNext(new Result[] {ROW}, controller);
        scanner.close();
        scanner.close();
        assertThat(asked).containsExactly("suspend", "resume");
        scanner.onHeartbeat(controller);
        scanner.onNext(new Result[] {ROW}, controller);
        assertThat(asked).containsExactly("suspend", "resume", "terminate", "terminate");
    }

    @Test
    void anUnfinishedScanIsNotEndedByAHeartbeat() {
        AwaitedScanner scanner = new AwaitedScanner(new Scan(), lookUps);
        scanner.onHeartbeat(controller);
        assertThat(asked).isEmpty();
        assertThat(scanner.getScanMetrics()).isNull();
        ScanMetrics metrics = new ScanMetrics();
        scanner.onScanMetricsCreated(metrics);
        assertThat(scanner.getScanMetrics()).isSameAs(metrics);
        assertThat(scanner.renewLease()).isFalse();
    }
}
