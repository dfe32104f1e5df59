package org.diffindex.server;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Refuses requests to the endpoint with fields that this build does not know: they ask for something that it would
 * leave out. Fields from number {@value #FIRST_IGNORABLE} on are for what a server may ignore.
 */
final class RequestFields {
    private static final int FIRST_IGNORABLE = 1_000;

    private RequestFields() {}

    /**
     * Requires that this build knows every field of a request and of the messages in it.
     *
     * @throws DoNotRetryIOException if it does not
     */
    static void requireKnown(Message request) throws DoNotRetryIOException {
        if (hasUnknown(request)) {
            throw new DoNotRetryIOException("Nothing was done: a client of a later build of Diff-Index asks for"
                    + " something that this server's build does not know; use a client of the same build, or upgrade the"
                    + " region servers [request="
                    + request.getDescriptorForType().getName() + "]");
        }
    }

    private static boolean hasUnknown(Message message) {
        return message.getUnknownFields().asMap().keySet().stream().anyMatch(number -> number < FIRST_IGNORABLE)
                || message.getAllFields().entrySet().stream().anyMatch(RequestFields::hasUnknownIn);
    }

    private static boolean hasUnknownIn(Map.Entry<FieldDescriptor, Object> field) {
        if (field.getKey().getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
            return false;
        }
        return field.getValue() instanceof List<?> repeated
                ? repeated.stream().anyMatch(each -> hasUnknown((Message) each))
                : hasUnknown((Message) field.getValue());
    }
}
