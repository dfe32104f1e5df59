package org.diffindex.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import javax.security.sasl.AuthenticationException;
import javax.security.sasl.SaslException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.MasterNotRunningException;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.security.KerberosAuthException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** KerberosIT tests what a user without a ticket is told. */
class CredentialsTest {
    private final Configuration conf = new Configuration(false);

    @BeforeEach
    void requireKerberos() {
        conf.set("hbase.security.authentication", "kerberos");
    }

    @Test
    void aClusterWithoutKerberosAsksForNone() {
        conf.set("hbase.security.authentication", "simple");

        assertThatCode(() -> Credentials.require(conf)).doesNotThrowAnyException();
        assertThat(Credentials.areRequired(conf)).isFalse();
        assertThat(Credentials.advice(conf)).contains("its hbase-site.xml and core-site.xml");
    }

    @Test
    void kerberosNeedsACoreSite() {
        assertThatThrownBy(() -> Credentials.require(conf))
                .isInstanceOf(AuthenticationException.class)
                .hasMessageContaining("no core-site.xml does");
        assertThat(Credentials.advice(conf)).contains("core-site.xml beside hbase-site.xml");
    }

    /** The real user has the ticket, and never the one who is impersonated. */
    @Test
    void acceptsTheTicketOfAUserWhoImpersonatesAnother() {
        UserGroupInformation real = UserGroupInformation.createRemoteUser("gateway");
        UserGroupInformation proxy = UserGroupInformation.createProxyUser("alice", real);

        assertThatThrownBy(() -> Credentials.requireAny(proxy))
                .isInstanceOf(AuthenticationException.class)
                .hasMessage("it requires Kerberos, and user gateway has no ticket");
        real.setAuthenticationMethod(AuthenticationMethod.KERBEROS);
        assertThatCode(() -> Credentials.requireAny(proxy)).doesNotThrowAnyException();
    }

    @Test
    void tellsARefusalFromAClusterThatIsDown() {
        assertThat(Credentials.areRefused(new IOException(new SaslException("GSS initiate failed"))))
                .isTrue();
        assertThat(Credentials.areRefused(new KerberosAuthException("failure to login")))
                .isTrue();
        assertThat(Credentials.areRefused(new AccessDeniedException("Authentication is required")))
                .isTrue();
        assertThat(Credentials.areRefused(new MasterNotRunningException())).isFalse();
    }
}
