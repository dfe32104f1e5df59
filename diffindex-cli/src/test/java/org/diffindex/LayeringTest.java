package org.diffindex;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.DiffIndexVersion;
import org.diffindex.model.EntryFormat;
import org.junit.jupiter.api.Test;

/** Tests which modules and packages may import which others, over the classes of all modules; see ADR 20. */
class LayeringTest {
    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("/org/diffindex/shaded/"))
            .importPackages("org.diffindex");

    @Test
    void modulesImportOnlyModulesBelowThem() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("protocol")
                .definedBy("org.diffindex.protocol..")
                .layer("model")
                .definedBy("org.diffindex.model..")
                .layer("tasks")
                .definedBy("org.diffindex.tasks..")
                .layer("client")
                .definedBy("org.diffindex.client..", "org.diffindex.verify..")
                .layer("server")
                .definedBy("org.diffindex.server..")
                .layer("mapreduce")
                .definedBy("org.diffindex.mapreduce..")
                .layer("cluster")
                .definedBy("org.diffindex.cluster..")
                .layer("ycsb")
                .definedBy("org.diffindex.ycsb..")
                .layer("lab")
                .definedBy("org.diffindex.lab..")
                .layer("cli")
                .definedBy("org.diffindex.cli..")
                .ensureAllClassesAreContainedInArchitecture()
                .whereLayer("protocol")
                .mayNotAccessAnyLayer()
                .whereLayer("model")
                .mayNotAccessAnyLayer()
                .whereLayer("tasks")
                .mayOnlyAccessLayers("model", "protocol")
                .whereLayer("client")
                .mayOnlyAccessLayers("model", "protocol", "tasks")
                .whereLayer("server")
                .mayOnlyAccessLayers("model", "protocol", "tasks")
                .whereLayer("mapreduce")
                .mayOnlyAccessLayers("model", "protocol", "tasks", "client")
                .whereLayer("cluster")
                .mayOnlyAccessLayers("model", "client")
                .whereLayer("ycsb")
                .mayOnlyAccessLayers("model", "client")
                .whereLayer("lab")
                .mayOnlyAccessLayers("model", "client", "server", "cluster", "ycsb")
                .whereLayer("cli")
                .mayOnlyAccessLayers("model", "tasks", "client", "server", "mapreduce", "cluster", "ycsb", "lab")
                .check(ALL);
    }

    @Test
    void packagesHaveNoCyclicImports() {
        slices().matching("org.diffindex.(**)").should().beFreeOfCycles().check(ALL);
    }

    @Test
    void theModelPerformsNoIo() {
        noClasses()
                .that()
                .resideInAPackage("org.diffindex.model..")
                .and()
                .doNotBelongToAnyOf(DiffIndexVersion.class) // reads its own jar
                .should()
                .dependOnClassesThat(performIo())
                .check(ALL);
    }

    private static DescribedPredicate<JavaClass> performIo() {
        DescribedPredicate<JavaClass> inMemory = belongToAnyOf(
                ByteArrayOutputStream.class, IOException.class, Serializable.class, UncheckedIOException.class);
        DescribedPredicate<JavaClass> calls = assignableTo(Connection.class)
                .or(assignableTo(ConnectionFactory.class))
                .or(assignableTo(AsyncConnection.class))
                .or(assignableTo(Admin.class))
                .or(assignableTo(Table.class))
                .or(assignableTo(BufferedMutator.class))
                .or(assignableTo(RegionLocator.class))
                .or(assignableTo(ResultScanner.class));
        return resideInAnyPackage(
                        "java.io..",
                        "java.net..",
                        "java.nio.file..",
                        "java.nio.channels..",
                        "org.apache.hadoop.conf..",
                        "org.apache.hadoop.fs..",
                        "org.apache.hadoop.hbase.ipc..")
                .and(not(inMemory))
                .or(calls)
                .as("perform I/O");
    }

    @Test
    void onlyTheModelNamesTheCellsOfEntries() {
        noClasses()
                .that()
                .resideOutsideOfPackage("org.diffindex.model..")
                .should()
                .accessField(EntryFormat.class, "FAMILY")
                .orShould()
                .accessField(EntryFormat.class, "QUALIFIER")
                .check(ALL);
    }

    /**
     * HBase's client makes an exception of the class that a server names. If it cannot, for lack of the class or of a public
     * constructor with a message, it takes a failure that passes for one that does not.
     */
    @Test
    void noExceptionOfAServerIsUnknownToClients() {
        noClasses()
                .that()
                .resideInAPackage("org.diffindex.server..")
                .should()
                .beAssignableTo(Throwable.class)
                .check(ALL);
    }

    @Test
    void onlyCommandsParseACommandLine() {
        noClasses()
                .that()
                .resideOutsideOfPackages("org.diffindex.cli..", "org.diffindex.lab..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("picocli..")
                .check(ALL);
    }
}
