package org.diffindex.client;

import com.google.protobuf.BlockingRpcChannel;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import com.google.protobuf.ServiceException;
import java.util.Map;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcChannel;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.protocol.DiffIndexProtos.Definition;
import org.diffindex.protocol.DiffIndexProtos.DefinitionsResponse;

/** The channel to a region that answers requests for the definitions of its table's indexes. */
record DefinitionService(BlockingRpcChannel answers) implements CoprocessorRpcChannel {
    /** Returns the channel to a region of a table. */
    static DefinitionService of(TableDescriptor descriptor) {
        Map<String, String> texts = IndexDefinitions.texts(descriptor);
        return new DefinitionService((method, controller, request, prototype) -> {
            DefinitionsResponse.Builder response = DefinitionsResponse.newBuilder();
            texts.forEach((name, text) -> response.addDefinitions(
                    Definition.newBuilder().setName(name).setText(text)));
            return response.build();
        });
    }

    @Override
    public Message callBlockingMethod(
            MethodDescriptor method, RpcController controller, Message request, Message prototype)
            throws ServiceException {
        return answers.callBlockingMethod(method, controller, request, prototype);
    }

    @Override
    public void callMethod(
            MethodDescriptor method,
            RpcController controller,
            Message request,
            Message prototype,
            RpcCallback<Message> done) {
        throw new UnsupportedOperationException("the client calls and waits");
    }
}
