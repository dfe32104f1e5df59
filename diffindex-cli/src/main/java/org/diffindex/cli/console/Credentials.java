package org.diffindex.cli.console;

import java.io.IOException;
import javax.security.sasl.AuthenticationException;
import javax.security.sasl.SaslException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.security.KerberosAuthException;
import org.apache.hadoop.security.UserGroupInformation;

/** Whether a cluster that requires Kerberos admits this process, and what to do if it does not. */
final class Credentials {
    private Credentials() {}

    /** Returns whether a configuration is that of a cluster that requires Kerberos. */
    static boolean areRequired(Configuration conf) {
        return User.isHBaseSecurityEnabled(conf);
    }

    /**
     * Requires that this process can authenticate itself, if the cluster asks for that: with a ticket, a keytab, with which
     * HBase's client logs in when a connection is made, or a token. For a user whom another one impersonates
     * ({@code HADOOP_PROXY_USER}), that one's ticket counts. HBase's client would not say what is missing.
     *
     * @throws AuthenticationException if it cannot
     */
    static void require(Configuration conf) throws IOException {
        if (!areRequired(conf)) {
            return;
        }
        if (!UserGroupInformation.isSecurityEnabled()) {
            throw new AuthenticationException("hbase-site.xml asks for Kerberos, but no core-site.xml does");
        }
        requireAny(UserGroupInformation.getCurrentUser());
    }

    /** Requires that a user, or the one who impersonates that user, has credentials. */
    static void requireAny(UserGroupInformation user) throws AuthenticationException {
        UserGroupInformation real = user.getRealUser();
        UserGroupInformation authenticated = real == null ? user : real;
        if (!authenticated.hasKerberosCredentials() && user.getTokens().isEmpty()) {
            throw new AuthenticationException(
                    "it requires Kerberos, and user " + authenticated.getUserName() + " has no ticket");
        }
    }

    /** Returns whether a connection has failed because its user is not admitted. */
    static boolean areRefused(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SaslException
                    || cause instanceof KerberosAuthException
                    || cause instanceof AccessDeniedException) {
                return true;
            }
        }
        return false;
    }

    /** Returns what a user who is not admitted can do. */
    static String advice(Configuration conf) {
        if (!areRequired(conf)) {
            return "if the cluster requires Kerberos, use its hbase-site.xml and core-site.xml";
        }
        return UserGroupInformation.isSecurityEnabled()
                ? "log in with kinit, or name a keytab and its principal in hbase-site.xml (hbase.client.keytab.file,"
                        + " hbase.client.keytab.principal); klist shows whether a ticket has expired"
                : "set hadoop.security.authentication to kerberos in a core-site.xml beside hbase-site.xml";
    }
}
