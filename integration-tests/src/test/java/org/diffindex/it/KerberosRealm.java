package org.diffindex.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.provider.SaslClientAuthenticationProviders;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authentication.util.KerberosName;
import org.diffindex.cluster.Kerberos;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The realm of a KDC during the tests of a class, in this JVM too, which is logged in as the user of the servers. A JVM
 * knows one realm, and Hadoop's clients either all use Kerberos or none does, so no other test may run meanwhile.
 */
final class KerberosRealm implements BeforeAllCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(KerberosRealm.class);
    private static final String KRB5_CONF = "java.security.krb5.conf";

    private Known known;

    @Override
    public void beforeAll(ExtensionContext context) {
        known = context.getStore(NAMESPACE).getOrComputeIfAbsent(this, unused -> Known.create(), Known.class);
    }

    Kdc kdc() {
        return known.kdc;
    }

    /** Returns the realm for a cluster. */
    Kerberos kerberos() {
        return new Kerberos(known.kdc.krb5Conf(), Kdc.REALM, known.kdc.serverKeytab());
    }

    Path keytab(String user) {
        return known.kdc.folder().resolve(user + ".keytab");
    }

    /** Connects as a user who logs in from a keytab. */
    Connection connect(String user, Configuration conf) throws IOException {
        UserGroupInformation login = UserGroupInformation.loginUserFromKeytabAndReturnUGI(
                user + "@" + Kdc.REALM, keytab(user).toString());
        return ConnectionFactory.createConnection(conf, User.create(login));
    }

    /** The realm of a running KDC, until it is closed. */
    private static final class Known implements AutoCloseable {
        private final Kdc kdc;

        private Known(Kdc kdc) {
            this.kdc = kdc;
        }

        static Known create() {
            try {
                Known known = new Known(new Kdc());
                known.enter();
                return known;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted while the KDC was started", e);
            }
        }

        private void enter() throws IOException {
            System.setProperty(KRB5_CONF, kdc.krb5Conf().toString());
            refresh();
            Configuration secure = new Configuration();
            secure.set("hadoop.security.authentication", "kerberos");
            UserGroupInformation.setConfiguration(secure);
            UserGroupInformation.loginUserFromKeytab(
                    "hbase/" + Kdc.HOST + "@" + Kdc.REALM, kdc.serverKeytab().toString());
        }

        @Override
        public void close() throws IOException {
            UserGroupInformation.reset();
            System.clearProperty(KRB5_CONF);
            refresh();
            kdc.close();
        }

        /** Lets Java, Hadoop and HBase's client forget what they have learned of realms. */
        private static void refresh() throws IOException {
            try {
                Class.forName("sun.security.krb5.Config").getMethod("refresh").invoke(null);
            } catch (ReflectiveOperationException e) {
                throw new IOException("Java's configuration of Kerberos could not be read again", e);
            }
            KerberosName.resetDefaultRealm();
            SaslClientAuthenticationProviders.reset();
        }
    }
}
