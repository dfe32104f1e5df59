package org.diffindex.server.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcUtils;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.protobuf.generated.ClientProtos.Condition;
import org.apache.hadoop.hbase.protobuf.generated.ClientProtos.MutationProto.MutationType;
import org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos.MultiRowMutationService;
import org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos.MutateRowsRequest;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.CoprocessorServiceCall;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;

/** The ways in which writes reach a region of HBase. */
public enum PathIntoRegion {
    /** Like Table.put, delete, increment and append. */
    ALONE(false, false) {
        @Override
        public void write(HRegion region, List<Mutation> mutations) throws IOException {
            for (Mutation mutation : mutations) {
                if (mutation instanceof Put put) {
                    region.put(put);
                } else if (mutation instanceof Delete delete) {
                    region.delete(delete);
                } else if (mutation instanceof Increment increment) {
                    region.increment(increment);
                } else {
                    region.append((Append) mutation);
                }
            }
        }
    },
    /** Like Table.batch with puts and deletes: each has its own outcome. */
    BATCH(false, true) {
        @Override
        public void write(HRegion region, List<Mutation> mutations) throws IOException {
            region.batchMutate(mutations.toArray(Mutation[]::new));
        }
    },
    /** Like Table.batch with RowMutations. */
    ATOMIC_BATCH(true, false) {
        @Override
        public void write(HRegion region, List<Mutation> mutations) throws IOException {
            region.batchMutate(mutations.toArray(Mutation[]::new), true, HConstants.NO_NONCE, HConstants.NO_NONCE);
        }
    },
    ROW_MUTATIONS(true, false) {
        @Override
        public void write(HRegion region, List<Mutation> mutations) throws IOException {
            region.mutateRow(rowMutations(mutations));
        }
    },
    CHECK_AND_MUTATE(true, false) {
        @Override
        public void write(HRegion region, List<Mutation> mutations) throws IOException {
            CheckAndMutate.Builder check =
                    CheckAndMutate.newBuilder(mutations.get(0).getRow()).ifNotExists(Flights.F, ABSENT);
            for (Mutation mutation : mutations) {
                if (mutation instanceof Put put) {
                    region.checkAndMutate(check.build(put));
                } else if (mutation instanceof Delete delete) {
                    region.checkAndMutate(check.build(delete));
                } else if (mutation instanceof Increment increment) {
                    region.checkAndMutate(check.build(increment));
                } else {
                    region.checkAndMutate(check.build((Append) mutation));
                }
            }
        }
    },
    CHECK_AND_ROW_MUTATIONS(true, false) {
        @Override
        public void write(HRegion region, List<Mutation> mutations) throws IOException {
            region.checkAndMutate(CheckAndMutate.newBuilder(mutations.get(0).getRow())
                    .ifNotExists(Flights.F, ABSENT)
                    .build(rowMutations(mutations)));
        }
    },
    /** Called by coprocessors. */
    ROWS_WITH_LOCKS(true, true) {
        @Override
        public void write(HRegion region, List<Mutation> mutations) throws IOException {
            TreeSet<byte[]> rows = new TreeSet<>(Bytes.BYTES_COMPARATOR);
            mutations.forEach(mutation -> rows.add(mutation.getRow()));
            region.mutateRowsWithLocks(mutations, rows, HConstants.NO_NONCE, HConstants.NO_NONCE);
        }
    },
    /** The endpoint for atomic writes of several rows, on a table {@link #with} it. */
    MULTI_ROW(true, true) {
        @Override
        public void write(HRegion region, List<Mutation> mutations) throws IOException {
            mutateRows(region, request(mutations).build());
        }
    },
    CONDITIONAL_MULTI_ROW(true, true) {
        @Override
        public void write(HRegion region, List<Mutation> mutations) throws IOException {
            Condition absent = ProtobufUtil.toCondition(
                    mutations.get(0).getRow(),
                    Flights.F,
                    ABSENT,
                    CompareOperator.EQUAL,
                    HConstants.EMPTY_BYTE_ARRAY,
                    TimeRange.allTime());
            writeIf(region, absent, mutations);
        }
    };

    private static final byte[] ABSENT = Bytes.toBytes("absent");

    /** Whether all writes of a call are made, or none. */
    public final boolean isAtomic;

    /** Whether a call can write several rows. */
    public final boolean takesSeveralRows;

    PathIntoRegion(boolean isAtomic, boolean takesSeveralRows) {
        this.isAtomic = isAtomic;
        this.takesSeveralRows = takesSeveralRows;
    }

    /** Adds to a table what some of the paths need. */
    public static TableDescriptorBuilder with(TableDescriptorBuilder table) {
        try {
            return table.setCoprocessor(MultiRowMutationEndpoint.class.getName());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes, and throws what a client would see. The outcomes of single writes of a batch are not reported. */
    public abstract void write(HRegion region, List<Mutation> mutations) throws IOException;

    /** Writes by the endpoint for atomic writes of several rows, if a condition holds. */
    public static void writeIf(HRegion region, Condition condition, List<Mutation> mutations) throws IOException {
        mutateRows(region, request(mutations).addCondition(condition).build());
    }

    private static RowMutations rowMutations(List<Mutation> mutations) throws IOException {
        return new RowMutations(mutations.get(0).getRow()).add(new ArrayList<>(mutations));
    }

    private static MutateRowsRequest.Builder request(List<Mutation> mutations) throws IOException {
        MutateRowsRequest.Builder request = MutateRowsRequest.newBuilder();
        for (Mutation mutation : mutations) {
            request.addMutationRequest(ProtobufUtil.toMutation(
                    Arrays.stream(MutationType.values())
                            .filter(type -> type.name()
                                    .equalsIgnoreCase(mutation.getClass().getSimpleName()))
                            .findFirst()
                            .orElseThrow(),
                    mutation));
        }
        return request;
    }

    private static void mutateRows(HRegion region, MutateRowsRequest request) throws IOException {
        region.execService(
                new ServerRpcController(),
                CoprocessorServiceCall.newBuilder()
                        .setRow(ByteString.copyFrom(
                                request.getMutationRequest(0).getRow().toByteArray()))
                        .setServiceName(CoprocessorRpcUtils.getServiceName(MultiRowMutationService.getDescriptor()))
                        .setMethodName("MutateRows")
                        .setRequest(ByteString.copyFrom(request.toByteArray()))
                        .build());
    }
}
