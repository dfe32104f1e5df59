package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.regionserver.DefaultStoreEngine;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.VersionInfo;
import org.diffindex.model.DiffIndexVersion;
import org.diffindex.model.IndexFormat;
import org.diffindex.model.ServerSetting;
import org.diffindex.protocol.DiffIndexProtos.InspectRequest;
import org.diffindex.protocol.DiffIndexProtos.InspectResponse;
import org.diffindex.protocol.DiffIndexProtos.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectionTest {
    private final Configuration conf = new Configuration(false);

    private InspectResponse response() {
        return new Inspection(ServerName.valueOf("rs1", 16020, 7), conf, List.of("b", "a"))
                .response(InspectRequest.getDefaultInstance(), 42);
    }

    @Test
    void reportsWhatTheServerRuns() {
        InspectResponse response = response();
        assertThat(response.getServer()).isEqualTo("rs1,16020,7");
        assertThat(response.getVersion()).isEqualTo(DiffIndexVersion.current()).matches("\\d+\\.\\d+\\.\\d+.*");
        assertThat(response.getHbaseVersion()).isEqualTo(VersionInfo.getVersion());
        assertThat(response.getJavaVersion()).startsWith(System.getProperty("java.specification.version"));
        assertThat(response.getClockMs()).isEqualTo(42);
        assertThat(response.getIndexesList()).containsExactly("a", "b");
        assertThat(response.getUrgentIndexWrites()).isTrue();
        assertThat(response.getLatestFormat()).isEqualTo(IndexFormat.latest());
        assertThat(response.getGenerations()).isTrue();
        assertThat(InspectResponse.getDefaultInstance().getGenerations())
                .as("what a server of an earlier build tells")
                .isFalse();
        assertThat(InspectResponse.getDefaultInstance().getLatestFormat())
                .as("what a server of an earlier build tells")
                .isEqualTo(IndexFormat.FIRST);
    }

    @Test
    void reportsOnlyTheSettingsThatConcernDiffIndex() {
        conf.set(ServerSetting.HANDLERS.key(), "12");
        conf.set("ssl.server.keystore.password", "secret");
        Map<String, Optional<String>> told = response().getSettingsList().stream()
                .collect(Collectors.toMap(
                        Setting::getName,
                        setting -> setting.hasValue() ? Optional.of(setting.getValue()) : Optional.empty()));
        assertThat(told).hasSize(ServerSetting.values().length);
        assertThat(told).containsEntry(ServerSetting.HANDLERS.key(), Optional.of("12"));
        assertThat(told).containsEntry(ServerSetting.ABORT_ON_ERROR.key(), Optional.empty());
        assertThat(response().toString()).doesNotContain("secret");
    }

    @Test
    void namesTheSettingsAsTheServerReadsThem() {
        assertThat(ServerSetting.DELIVERY_TIMEOUT.key()).isEqualTo(Settings.DELIVERY_TIMEOUT_MS);
        assertThat(ServerSetting.QUEUE_MAX_BYTES.key()).isEqualTo(Settings.QUEUE_MAX_BYTES);
        assertThat(ServerSetting.PROCESSOR_THREADS.key()).isEqualTo(Settings.PROCESSOR_THREADS);
        assertThat(ServerSetting.SPLIT_TO_HFILE.key()).isEqualTo(Settings.SPLIT_TO_HFILE);
        assertThat(ServerSetting.HISTORICAL_FILES.key()).isEqualTo(StoreFileWriter.ENABLE_HISTORICAL_COMPACTION_FILES);
        assertThat(ServerSetting.STORE_ENGINE.key()).isEqualTo(StoreEngine.STORE_ENGINE_CLASS_KEY);
        assertThat(ServerSetting.STORE_ENGINE.valueUnlessSet()).isEqualTo(DefaultStoreEngine.class.getName());
        Settings unset = new Settings(conf);
        assertThat(ServerSetting.QUEUE_MAX_BYTES.valueUnlessSet()).isEqualTo(Long.toString(unset.queueMaxBytes()));
        assertThat(ServerSetting.PROCESSOR_THREADS.valueUnlessSet())
                .isEqualTo(Integer.toString(unset.processorThreads()));
        assertThat(ServerSetting.HANDLERS.valueUnlessSet()).isEqualTo(Integer.toString(unset.writeHandlers()));
        assertThat(ServerSetting.DELIVERY_TIMEOUT.valueUnlessSet())
                .isEqualTo(unset.forDelivery().get("hbase.client.operation.timeout"));
    }

    @Test
    void reportsWhichColumnTypesItCanLoad() {
        InspectRequest request = InspectRequest.newBuilder()
                .addColumnTypes("string")
                .addColumnTypes("class(org.example.Missing)")
                .addColumnTypes("class(org.diffindex.server.InspectionTest)")
                .build();
        InspectResponse response = new Inspection(
                        ServerName.valueOf("rs1", 16020, 7), conf, List.of(), Optional.of("no"))
                .response(request, 42);
        assertThat(response.getColumnTypesList())
                .extracting(answer -> answer.getError())
                .satisfiesExactly(
                        string -> assertThat(string).isEmpty(),
                        missing -> assertThat(missing).contains("not on the class path: org.example.Missing"),
                        other -> assertThat(other).contains("is not an HBase DataType"));
        assertThat(response.getProblem()).isEqualTo("no");
    }

    /** The file may be replaced long before the server is restarted, and doctor compares what the servers run. */
    @Test
    void reportsTheJarWithWhichTheServerStarted(@TempDir Path folder) throws Exception {
        Path jar = folder.resolve("server.jar");
        copyServerClasses(jar);
        String started =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar)));
        try (URLClassLoader loader = new OwnClasses(jar)) {
            Constructor<?> constructor = loader.loadClass(Inspection.class.getName())
                    .getDeclaredConstructor(ServerName.class, Configuration.class, Collection.class);
            constructor.setAccessible(true);
            Object inspection = constructor.newInstance(ServerName.valueOf("rs1", 16020, 7), conf, List.of());
            Files.writeString(folder.resolve("new.jar"), "the next version");
            Files.move(folder.resolve("new.jar"), jar, StandardCopyOption.REPLACE_EXISTING);
            Method response = inspection.getClass().getDeclaredMethod("response", InspectRequest.class, long.class);
            response.setAccessible(true);
            assertThat(((InspectResponse) response.invoke(inspection, InspectRequest.getDefaultInstance(), 42L))
                            .getJarDigest())
                    .isEqualTo(started);
        }
    }

    /** Loads the server's classes from a jar, and all others from where the test has them. */
    private static final class OwnClasses extends URLClassLoader {
        OwnClasses(Path jar) throws IOException {
            super(new URL[] {jar.toUri().toURL()}, InspectionTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean isOwn = name.startsWith("org.diffindex.server.") && findLoadedClass(name) == null;
            return isOwn ? findClass(name) : super.loadClass(name, resolve);
        }
    }

    private static void copyServerClasses(Path jar) throws Exception {
        Path classes = Path.of(Inspection.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes.resolve("org/diffindex/server"))) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, out);
            }
        }
    }

    @Test
    void digestsOnlyJars() {
        assertThat(JarDigest.of(Configuration.class))
                .hasValueSatisfying(digest -> assertThat(digest).matches("[0-9a-f]{64}"));
        assertThat(JarDigest.of(String.class)).isEmpty();
        assertThat(JarDigest.of(InspectionTest.class)).isEmpty();
    }
}
