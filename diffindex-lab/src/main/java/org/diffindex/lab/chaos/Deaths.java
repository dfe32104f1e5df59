package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.diffindex.cluster.LocalCluster;

/** Records the processes that ended, or hung, although no fault had ended them. For one thread. */
final class Deaths {
    private final LocalCluster cluster;
    private final List<Death> found = new ArrayList<>();

    Deaths(LocalCluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Records the processes that have ended by themselves; records the same end once. The cluster forgets such an end
     * when it starts the process again, so this method must be called before that.
     */
    void look() throws IOException {
        for (Map.Entry<String, String> ended : cluster.endedByThemselves().entrySet()) {
            record(ended.getKey(), ended.getValue());
        }
    }

    /**
     * Records a process that ended or hung while it was started or stopped; the cluster kills and forgets such a process
     * at once, so {@link #look} does not find it. Records the same end once.
     *
     * @param text what is known about its end
     */
    void record(String process, String text) {
        boolean isKnown = found.stream()
                .anyMatch(
                        death -> death.process().equals(process) && death.text().equals(text));
        if (!isKnown) {
            found.add(new Death(process, System.currentTimeMillis(), text));
        }
    }

    /** Returns the deaths recorded so far. */
    List<Death> all() {
        return List.copyOf(found);
    }
}
