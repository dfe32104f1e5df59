#!/usr/bin/env bash
# The smoke test of the cluster in containers: builds the image, starts the cluster of docker/compose.yaml, loads flights, creates
# an index of each scheme, reads by these indexes, reads metrics, examines the cluster, runs YCSB for a minute, and asks Prometheus
# whatever the dashboard and the alert rules ask. While a client writes, it kills a region server, disconnects the one with
# hbase:meta from the network, and kills the active master. Then it compares indexes and tables. The last line is the result; the
# exit code is 0 only if every step succeeded. Only the images are left behind.
#
#   docker/engine.sh docker/smoke.sh     where no container engine runs
#   docker/smoke.sh                      where one does
#
#   KEEP=1        leave the cluster running at the end
#   YCSB_SECONDS  how long YCSB runs; 60 by default
#
# The containers' logs of a failed run are in target/docker-smoke.
set -euo pipefail

readonly SCHEMES=(sync-full sync-insert async-simple async-session)
readonly PROJECT=diffindex-smoke NETWORK=diffindex-smoke_default
readonly KILLED=rs1
readonly FLIGHTS=diffindex-lab/src/main/resources/org/diffindex/lab/demo/flights-100k.csv.gz
readonly AIRPORT=ORD
readonly ALERTS=docs/observability/alerts.yml ALERT_TESTS=docs/observability/alerts-test.yml
readonly DASHBOARD=docs/observability/dashboard.json
# Only the quick compiler: no process of this test lives long enough to benefit from the other one.
readonly QUICK=-XX:TieredStopAtLevel=1

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DIFFINDEX_IMAGE=diffindex-smoke
export SERVER_OPTS=$QUICK
# Any free ports.
export PROMETHEUS_PORT=0 NAMENODE_PORT=0 HMASTER_PORT=0 RS1_PORT=0 RS2_PORT=0 RS3_PORT=0
work=$(mktemp -d)
logs=target/docker-smoke
writer=
doing="nothing yet"
failure=

step() {
    doing=$1
    printf 'smoke [%3d s] %s\n' $SECONDS "$1"
}

# fail WHAT: ends the test; the last line says what failed.
fail() {
    failure=$1
    exit 1
}

if docker compose version >/dev/null 2>&1; then
    compose_command=(docker compose)
else
    compose_command=(docker-compose)
fi

compose() {
    "${compose_command[@]}" --project-name $PROJECT --file docker/compose.yaml "$@"
}

container() {
    docker ps --all --quiet --filter label=com.docker.compose.project=$PROJECT \
        --filter label=com.docker.compose.service="$1"
}

# diffindex ARGUMENT...: runs the command in the client's container.
diffindex() {
    docker exec --env "DIFFINDEX_OPTS=-Xmx256m $QUICK" "$client" diffindex "$@"
}

# http_get HOST PORT PATH: prints a server's answer to the client's container.
http_get() {
    docker exec "$client" /opt/diffindex/docker/http-get.sh "$@"
}

# await SECONDS WHAT COMMAND...: waits until the command succeeds, which means that WHAT is true.
await() {
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        if ((SECONDS > end)); then
            fail "timed out waiting until $what"
        fi
        sleep 1
    done
}

save_logs() {
    mkdir -p $logs
    local service
    for service in $(compose config --services); do
        docker logs "$(container "$service")" >"$logs/$service.log" 2>&1 || true
    done
    [[ ! -e $work/writer.log ]] || cp "$work/writer.log" $logs
}

# Prints what the servers of HBase logged last about failures, since the machine of a failed run may be gone before anybody reads
# its files.
print_warnings() {
    local server
    for server in rs1 rs2 rs3 hmaster hmaster-backup; do
        echo "smoke: last warnings of $server"
        grep -E ' (WARN|ERROR|FATAL) |Master is coming online' "$logs/$server.log" | tail -n 8 | cut -c 1-300 || true
    done
}

finish() {
    local code=$?
    trap - EXIT INT TERM
    if [[ -n $writer ]]; then
        kill "$writer" 2>/dev/null || true
        wait "$writer" 2>/dev/null || true
    fi
    if ((code != 0)) && [[ -n $(container zookeeper) ]]; then
        compose ps || true
        save_logs
        print_warnings
        echo "smoke: the containers' logs are in $logs"
    fi
    if [[ -n ${KEEP:-} ]]; then
        echo "smoke: the cluster is still running; stop it with: ${compose_command[*]} -p $PROJECT -f docker/compose.yaml down -v"
    elif ! compose down --volumes --remove-orphans --timeout 5 >"$work/down.log" 2>&1; then
        tail -n 5 "$work/down.log"
        failure=${failure:-"the cluster could not be stopped"}
        code=1
    fi
    rm -rf "$work"
    if ((code == 0)); then
        echo "smoke: passed in $SECONDS s"
    else
        echo "smoke: FAILED after $SECONDS s, at: $doing: ${failure:-a command failed, see above}"
    fi
    exit $code
}

build_image() {
    step "building the image"
    docker/image.sh $DIFFINDEX_IMAGE
}

start_cluster() {
    step "starting the cluster"
    rm -rf $logs
    compose down --volumes --remove-orphans --timeout 1 >/dev/null 2>&1
    if ! compose up --detach --no-build >"$work/up.log" 2>&1; then
        tail -n 5 "$work/up.log"
        fail "not all containers became healthy"
    fi
    client=$(container client)
    await 240 "the client sees the cluster serve" \
        sh -c "docker inspect --format '{{.State.Health.Status}}' $client | grep -qx healthy"
    await 60 "three region servers are alive" alive rs1 rs2 rs3
}

# Prints the name of the index of a scheme.
index_of() {
    echo "by_origin_${1//-/_}"
}

# Writes the original flights, and the flights with origin and destination exchanged, which moves every entry; each as a whole and in
# ten slices.
make_flights() {
    local flights=$work/flights
    mkdir "$flights"
    gunzip -c $FLIGHTS >"$flights/original.csv"
    awk -F, 'BEGIN { OFS = "," } NR > 1 { from = $5; $5 = $6; $6 = from } { print }' \
        "$flights/original.csv" >"$flights/exchanged.csv"
    local state slice
    for state in original exchanged; do
        awk -v prefix="$flights/$state" 'NR == 1 { header = $0; next }
            { file = prefix "." NR % 10 ".csv" }
            !(file in begun) { begun[file]; print header >file }
            { print >file }' "$flights/$state.csv"
    done
    for slice in {0..9}; do
        echo original >"$work/state.$slice"
    done
    tar --create --directory "$work" flights | docker exec --interactive "$client" tar --extract --directory /tmp
}

# Prints the entries that an index on the origin must hold, in its order: those of each slice in the state last written.
expected_entries() {
    local slice
    for slice in {0..9}; do
        awk -F, 'FNR > 1 { print $5 "\t" $1 }' "$work/flights/$(<"$work/state.$slice").$slice.csv"
    done | LC_ALL=C sort
}

load_flights() {
    step "loading 100,000 flights"
    make_flights
    diffindex load flights /tmp/flights/original.csv --key flight_id --create --split-points 1000000,2000000
}

create_indexes() {
    step "creating an index of each scheme"
    local scheme
    for scheme in "${SCHEMES[@]}"; do
        diffindex create-index flights "$(index_of "$scheme")" --columns f:origin --scheme "$scheme" --split-points DFW,MSP --wait
    done
}

# same EXPECTED GOT WHAT: fails if two files differ, and prints the difference.
same() {
    if ! cmp -s "$1" "$2"; then
        diff "$1" "$2" | head -n 10 || true
        fail "$3: expected (<) $(wc -l <"$1") lines, got (>) $(wc -l <"$2")"
    fi
}

# Checks that every index holds exactly the expected entries, and finds those of one airport.
read_by_index() {
    local scheme index
    expected_entries >"$work/entries"
    grep "^$AIRPORT" "$work/entries" >"$work/expected"
    for scheme in "${SCHEMES[@]}"; do
        index=$(index_of "$scheme")
        diffindex get flights "$index" $AIRPORT >"$work/got"
        same "$work/expected" "$work/got" "$index, flights from $AIRPORT"
        diffindex get flights "$index" >"$work/got"
        same "$work/entries" "$work/got" "$index, all flights"
    done
    echo "4 indexes of $(wc -l <"$work/entries") entries each, $(wc -l <"$work/expected") of them at $AIRPORT: as expected"
}

# has_metric HOST PORT PATH NAME: succeeds if the server reports this metric in Prometheus' format; sets value to its value.
has_metric() {
    local answer
    answer=$(http_get "$1" "$2" "$3") || return 1
    value=$(sed -En "s/^$4(\{[^}]*\})? ([0-9]+).*/\2/p" <<<"$answer" | head -n 1)
    [[ -n $value ]]
}

# metric HOST PORT PATH NAME: waits for has_metric, because HBase resets its metrics now and then, and reports none for a moment.
metric() {
    await 60 "http://$1:$2$3 reports $4" has_metric "$@"
}

# Succeeds if the metrics count all three regions of flights as indexed.
report_indexed_regions() {
    local server regions=0
    for server in rs1 rs2 rs3; do
        has_metric $server 16030 /prometheus diff_index_indexed_regions && regions=$((regions + value))
    done
    ((regions == 3))
}

read_metrics() {
    step "reading metrics as Prometheus does"
    local server
    for server in rs1 rs2 rs3; do
        metric $server 16030 /prometheus server_region_count
    done
    await 60 "the region servers' metrics count the 3 indexed regions of flights" report_indexed_regions
    metric hmaster 16010 /prometheus server_cluster_requests
    metric hmaster-backup 16010 /prometheus server_cluster_requests
    metric namenode 9870 /prom fs_namesystem_blocks_total
    metric datanode1 9864 /prom jvm_metrics_mem_heap_used_m
    metric datanode2 9864 /prom jvm_metrics_mem_heap_used_m
    echo "all servers but ZooKeeper report metrics"
}

examine_cluster() {
    step "examining the cluster"
    # The machine may be overloaded, by the proofs of .ci/run.
    diffindex doctor --timeout 120 || fail "the doctor found a problem"
}

run_ycsb() {
    local seconds=${YCSB_SECONDS:-60}
    step "running YCSB for $seconds s"
    diffindex ycsb load --records 2000 --threads 4
    diffindex ycsb run --records 2000 --threads 4 --operations 100000000 -p maxexecutiontime="$seconds"
}

# promtool ARGUMENT...: runs the command in the container of Prometheus.
promtool() {
    docker exec "$prometheus" promtool "$@"
}

# ask QUERY: prints what Prometheus answers; nothing if there are no results.
ask() {
    promtool query instant http://127.0.0.1:9090 "$1"
}

# answers QUERY: succeeds if there are results.
answers() {
    [[ -n $(ask "$1") ]]
}

# Prints the queries of the dashboard, one in a line, for all tables and indexes.
dashboard_queries() {
    # The dollars are those of Grafana's variables.
    # shellcheck disable=SC2016
    sed -n 's/^ *"expr": "\(.*\)",\{0,1\}$/\1/p' $DASHBOARD |
        sed -e 's/\\"/"/g' -e 's/\$table/.*/g' -e 's/\$index/.*/g' -e 's/\$__rate_interval/2m/g'
}

# Prints the expressions of the alert rules, one in a line.
alert_queries() {
    sed -n 's/^ *expr: //p' $ALERTS
}

# Asks Prometheus every query of the dashboard, which must have results, and the expression of every alert rule. Meanwhile an index
# is being built.
ask_prometheus() {
    step "asking Prometheus"
    prometheus=$(container prometheus)
    promtool check rules /opt/diffindex/$ALERTS
    promtool test rules /opt/diffindex/$ALERT_TESTS
    await 120 "Prometheus has scraped all servers" answers 'count(up == 1) == 8'
    # As slow as that, it does not end here; a page of rows is recorded within seconds.
    diffindex create-index flights by_destination --columns f:destination --scheme sync-full --rate 500
    local query queries=0 rules=0
    while read -r query; do
        await 120 "Prometheus has an answer to: $query" answers "$query"
        queries=$((queries + 1))
    done < <(dashboard_queries)
    while read -r query; do
        ask "$query" >/dev/null || fail "Prometheus refuses $query"
        rules=$((rules + 1))
    done < <(alert_queries)
    ((queries > 0 && rules > 0)) || fail "no query was found in $DASHBOARD or $ALERTS"
    local told
    told=$(http_get prometheus 9090 /api/v1/rules) || fail "Prometheus does not say which rules it has"
    [[ $(grep -o '"health":"ok"' <<<"$told" | wc -l) == "$rules" ]] || fail "Prometheus could not evaluate each of $rules rules: $told"
    diffindex build cancel flights by_destination
    echo "Prometheus answers the $queries queries of the dashboard and those of the $rules alert rules"
}

# Finds the active master; sets master to its name, and told to its JMX bean.
ask_active_master() {
    for master in hmaster hmaster-backup; do
        told=$(http_get $master 16010 "/jmx?qry=Hadoop:service=HBase,name=Master,sub=Server") || continue
        [[ $told != *'"tag.isActiveMaster": "true"'* ]] || return 0
    done
    return 1
}

is_active_master() {
    ask_active_master && [[ $master == "$1" ]]
}

# Succeeds if this master is the backup.
is_backup_master() {
    [[ $(http_get "$1" 16010 "/jmx?qry=Hadoop:service=HBase,name=Master,sub=Server") == *'"tag.isActiveMaster": "false"'* ]]
}

# Prints the region servers that the active master considers alive, as HOST,PORT,STARTCODE separated by ';'.
live_servers() {
    ask_active_master || return 1
    sed -n 's/.*"tag.liveRegionServers": "\(.*\)",/\1/p' <<<"$told"
}

alive() {
    local live server
    live=$(live_servers) || return 1
    for server in "$@"; do
        [[ ";$live" == *";$server,"* ]] || return 1
    done
}

dead() {
    local live
    live=$(live_servers) && [[ -n $live && ";$live" != *";$1,"* ]]
}

# Sets cut_off to the region server that has hbase:meta. Without ZooKeeper this server does not learn that hbase:meta has moved, and
# continues to ask itself where regions are.
find_server_of_meta() {
    local server regions
    for server in rs1 rs2 rs3; do
        regions=$(http_get $server 16030 "/jmx?qry=Hadoop:service=HBase,name=RegionServer,sub=Regions") || continue
        if [[ $regions == *Namespace_hbase_table_meta_* ]]; then
            cut_off=$server
            return 0
        fi
    done
    return 1
}

# Writes the flights slice by slice, alternately exchanged and original, until the file "stop" exists. A load that fails is repeated,
# as its message asks; completed loads are not.
write_flights() {
    local state slice
    while true; do
        for state in exchanged original; do
            for slice in {0..9}; do
                [[ ! -e $work/stop ]] || return 0
                echo $state >"$work/state.$slice"
                until diffindex load flights "/tmp/flights/$state.$slice.csv" --key flight_id --batch 100; do
                    echo x >>"$work/repeated"
                done
                echo x >>"$work/written"
            done
        done
    done
}

has_written() {
    [[ -s $work/written ]]
}

writer_ended() {
    ! kill -0 "$writer" 2>/dev/null
}

suffer_faults() {
    step "writing to all indexes"
    touch "$work/written" "$work/repeated"
    write_flights >"$work/writer.log" 2>&1 &
    writer=$!
    await 240 "the writer has written a slice" has_written

    step "killing $KILLED"
    docker kill "$(container $KILLED)" >/dev/null
    await 240 "the master considers $KILLED dead" dead $KILLED
    step "starting $KILLED again"
    docker start "$(container $KILLED)" >/dev/null
    await 240 "$KILLED is back" alive $KILLED

    await 60 "a region server has hbase:meta" find_server_of_meta
    step "disconnecting $cut_off, which has hbase:meta, from the network"
    docker network disconnect $NETWORK "$(container "$cut_off")"
    await 240 "the master considers $cut_off dead" dead "$cut_off"
    step "connecting $cut_off to the network again"
    docker network connect --alias "$cut_off" $NETWORK "$(container "$cut_off")"
    await 240 "all region servers are back" alive rs1 rs2 rs3

    ask_active_master || fail "no master is active"
    local killed=$master backup=hmaster-backup
    [[ $killed == hmaster ]] || backup=hmaster
    step "killing the active master, $killed"
    docker kill "$(container "$killed")" >/dev/null
    await 240 "$backup is the active master" is_active_master $backup
    await 240 "$backup knows of all region servers" alive rs1 rs2 rs3
    step "starting $killed again"
    docker start "$(container "$killed")" >/dev/null
    await 240 "$killed is the backup master" is_backup_master "$killed"

    step "stopping the writer"
    writer_ended && fail "the writer ended by itself; see $logs/writer.log"
    touch "$work/stop"
    await 300 "the writer's last load is complete" writer_ended
    wait "$writer" || fail "the writer failed; see $logs/writer.log"
    writer=
    echo "$(wc -l <"$work/written") slices of 10,000 rows were written; $(wc -l <"$work/repeated") loads had to be repeated"
}

# Waits as long as for servers: an index that was without a server for a while has much to catch up with.
drain() {
    if ! diffindex drain "$1" --timeout 240; then
        diffindex status "$1" || true
        fail "the indexes of $1 did not catch up"
    fi
}

verify() {
    step "comparing indexes and tables"
    drain flights
    drain item
    read_by_index
    diffindex scrub flights || fail "the scrub of flights found differences"
    diffindex scrub item || fail "the scrub of item found differences"
    diffindex status
    examine_cluster
}

trap finish EXIT
trap 'failure=interrupted; exit 130' INT TERM
docker info >/dev/null 2>&1 || fail "no container engine answers; start one, or run this script through docker/engine.sh"
build_image
start_cluster
load_flights
create_indexes
step "reading by index"
read_by_index
read_metrics
examine_cluster
run_ycsb
ask_prometheus
suffer_faults
verify
step "stopping the cluster"
