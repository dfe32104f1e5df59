package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.coprocessor.MasterObserver;
import org.junit.jupiter.api.Test;

/**
 * Tests that each operation of the master is known: either {@link IndexMasterObserver} guards it, or it cannot separate
 * a base table from its index, for the reason given here. A hook that a new version of HBase adds fails this test until
 * its operation has been examined.
 */
class MasterHooksTest {
    /** The hooks before operations, by the reason for which the operation is safe. */
    private static final Map<String, String> KNOWN = Map.ofEntries(
            Map.entry(
                    "IndexMasterObserver guards it",
                    """
                    preGrant preRevoke preCreateTable preCreateTableAction preModifyTable preModifyTableAction preDeleteTable
                    preDeleteTableAction preTruncateTable preTruncateTableAction preTruncateRegion
                    preTruncateRegionAction preCloneSnapshot preRestoreSnapshot
                    """),
            Map.entry(
                    "it comes before preCreateTable, which sees the descriptor that it returns",
                    "preCreateTableRegionsInfos"),
            Map.entry(
                    "a disabled table is an outage: the updates of an index table are kept, and delivered when it is enabled",
                    """
                    preEnableTable preEnableTableAction preDisableTable preDisableTableAction
                    """),
            Map.entry(
                    "it changes where store files are listed, not cells; the descriptor is changed by a procedure that passes"
                            + " preModifyTableAction",
                    "preModifyTableStoreFileTracker preModifyColumnFamilyStoreFileTracker"),
            Map.entry(
                    "regions move, split and merge as they like: what their indexes lack is put on disk when they close, and"
                            + " found by the server that opens their rows",
                    """
                    preMove preAssign preUnassign preRegionOffline preBalance preBalanceSwitch preSetSplitOrMergeEnabled
                    preSplitRegion preSplitRegionAction preSplitRegionBeforeMETAAction preSplitRegionAfterMETAAction
                    preMergeRegions preMergeRegionsAction preMergeRegionsCommitAction preMoveServersAndTables
                    preMoveServers preMoveTables preAddRSGroup preRemoveRSGroup preBalanceRSGroup preRemoveServers
                    preRenameRSGroup preUpdateRSGroupConfig preDecommissionRegionServers preRecommissionRegionServer
                    preClearDeadServers
                    """),
            Map.entry(
                    "a flush also calls the region's hooks, which cover it; the other one is of the master's own store",
                    "preTableFlush preMasterStoreFlush"),
            Map.entry(
                    "a snapshot changes nothing; to clone or restore it is guarded",
                    "preSnapshot preListSnapshot preDeleteSnapshot"),
            Map.entry(
                    "HBase deletes no namespace with tables in it, and their descriptors are not the namespace's",
                    "preCreateNamespace preDeleteNamespace preModifyNamespace"),
            Map.entry(
                    "a quota refuses writes and disables tables; an index that cannot be written is an outage",
                    """
                    preSetUserQuota preSetTableQuota preSetNamespaceQuota preSetRegionServerQuota preSwitchRpcThrottle
                    preIsRpcThrottleEnabled preSwitchExceedThrottleQuota
                    """),
            Map.entry(
                    "a peer sends what the WAL has; the other cluster guards what it does there",
                    """
                    preAddReplicationPeer preRemoveReplicationPeer preEnableReplicationPeer preDisableReplicationPeer
                    preGetReplicationPeerConfig preUpdateReplicationPeerConfig preListReplicationPeers
                    """),
            Map.entry(
                    "HBase rolls back an aborted procedure, or leaves it; a guarded one has passed its hook",
                    "preAbortProcedure preRequestLock preLockHeartbeat"),
            Map.entry(
                    "servers stop and start: a crash is worse, and covered",
                    "preShutdown preStopMaster preMasterInitialization preUpdateMasterConfiguration"),
            Map.entry(
                    "it only reads",
                    """
                    preGetProcedures preGetLocks preGetTableDescriptors preGetTableNames preGetNamespaceDescriptor
                    preListNamespaces preListNamespaceDescriptors preGetRSGroupInfo preGetRSGroupInfoOfTable
                    preGetRSGroupInfoOfServer preListRSGroups preGetClusterMetrics preListDecommissionedRegionServers
                    preGetUserPermissions preHasUserPermissions
                    """));

    /** Hooks after an operation, or after a step of one, that are not named like the hook before it. */
    private static final Set<String> AFTER = Set.of(
            "postStartMaster",
            "postCompletedSnapshotAction",
            "postRollBackSplitRegionAction",
            "postRollBackMergeRegionsAction");

    private static List<String> hooks(String prefix) {
        return Arrays.stream(MasterObserver.class.getMethods())
                .map(Method::getName)
                .filter(name -> name.startsWith(prefix))
                .distinct()
                .toList();
    }

    private static Map<String, String> reasons() {
        Map<String, String> reasons = new TreeMap<>();
        KNOWN.forEach((reason, names) -> {
            for (String name : names.trim().split("\\s+", -1)) {
                assertThat(reasons.put(name, reason))
                        .as(name + " is listed twice")
                        .isNull();
            }
        });
        return reasons;
    }

    @Test
    void everyOperationOfTheMasterIsKnown() {
        assertThat(reasons().keySet()).containsAll(hooks("pre"));
    }

    @Test
    void everyHookAfterAnOperationIsThatOfAKnownOperation() {
        Set<String> unknown = new TreeSet<>(hooks("post"));
        unknown.removeAll(AFTER);
        unknown.removeIf(name -> reasons().containsKey(name.replaceFirst("^post(Completed)?", "pre")));
        assertThat(unknown).isEmpty();
    }

    @Test
    void theObserverOverridesTheHooksOfTheGuardedOperations() {
        Set<String> guarded = reasons().entrySet().stream()
                .filter(hook -> hook.getValue().equals("IndexMasterObserver guards it"))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> overridden = Arrays.stream(IndexMasterObserver.class.getDeclaredMethods())
                .filter(method -> !method.isSynthetic() && method.getName().startsWith("pre"))
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(overridden).isEqualTo(guarded);
    }

    @Test
    void everyHookIsBeforeOrAfterAnOperation() {
        assertThat(Arrays.stream(MasterObserver.class.getMethods())
                        .map(Method::getName)
                        .filter(name -> !name.startsWith("pre") && !name.startsWith("post")))
                .isEmpty();
    }
}
