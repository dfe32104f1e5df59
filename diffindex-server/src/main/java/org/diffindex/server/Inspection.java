package org.diffindex.server;

import java.util.Collection;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.ipc.RpcControllerFactory;
import org.apache.hadoop.hbase.util.VersionInfo;
import org.diffindex.client.DiffIndexVersion;
import org.diffindex.client.ServerSetting;
import org.diffindex.protocol.DiffIndexProtos.InspectResponse;
import org.diffindex.protocol.DiffIndexProtos.Setting;
import org.diffindex.server.deliver.UrgentControllerFactory;

/** What a server says of itself. Immutable. */
final class Inspection {
    private final ServerName server;
    private final Configuration conf;
    private final List<String> indexes;

    /**
     * That of a server.
     *
     * @param conf what the server goes by
     * @param indexes the names of those that the region keeps whose coprocessor answers
     */
    Inspection(ServerName server, Configuration conf, Collection<String> indexes) {
        this.server = server;
        this.conf = conf;
        this.indexes = indexes.stream().sorted().toList();
    }

    InspectResponse response(long clockMs) {
        InspectResponse.Builder response = InspectResponse.newBuilder()
                .setServer(server.toString())
                .setVersion(DiffIndexVersion.current())
                .setHbaseVersion(VersionInfo.getVersion())
                .setJavaVersion(Runtime.version().toString())
                .setClockMs(clockMs)
                .setUrgentIndexWrites(writesUrgently())
                .addAllIndexes(indexes);
        JarDigest.ofThisJar().ifPresent(response::setJarDigest);
        for (ServerSetting setting : ServerSetting.values()) {
            response.addSettings(told(setting));
        }
        return response.build();
    }

    private Setting told(ServerSetting setting) {
        Setting.Builder told = Setting.newBuilder().setName(setting.key());
        String value = conf.get(setting.key());
        return (value == null ? told : told.setValue(value)).build();
    }

    /**
     * Whether HBase's client can load the class that makes index writes urgent. It looks for it on the server's class path
     * only, and does without if it is not there.
     */
    private boolean writesUrgently() {
        return RpcControllerFactory.instantiate(new Settings(conf).forDelivery())
                .getClass()
                .getName()
                .equals(UrgentControllerFactory.class.getName());
    }
}
