"""confluent-kafka (librdkafka) as a user would write it: confluent.py SCENARIO BROKERS PREFIX [PROTOCOL]

Each scenario asserts by itself and prints "ok"; anything else ends with a traceback.
"""

import os
import sys
import time

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka import ConsumerGroupTopicPartitions, IsolationLevel, OFFSET_BEGINNING
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

DEADLINE_S = 30
# Times near now: retention would delete records that are years old.
START_MS = int(time.time() * 1000) - 60_000


def until(what, ask):
    end = time.monotonic() + DEADLINE_S
    while not (answer := ask()):
        assert time.monotonic() < end, f"not within {DEADLINE_S} s: {what}"
        time.sleep(0.02)
    return answer


def equal(expected, actual, what):
    assert expected == actual, f"{what}: expected {expected!r}, got {actual!r}"


def create(brokers, topic, partitions):
    admin = AdminClient({"bootstrap.servers": brokers})
    admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(30)
    until("topic is known", lambda: topic in admin.list_topics(timeout=10).topics)
    return admin


def consumer(brokers, group, **more):
    settings = {
        "bootstrap.servers": brokers,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "check.crcs": True,
        "topic.metadata.refresh.interval.ms": 500,
    }
    return Consumer(settings | {name.replace("_", "."): value for name, value in more.items()})


def poll_for(member, count):
    records = []
    end = time.monotonic() + DEADLINE_S
    while len(records) < count:
        assert time.monotonic() < end, f"not within {DEADLINE_S} s: {count} records, only {len(records)}"
        for message in member.consume(count - len(records), 0.1):
            assert message.error() is None, message.error()
            records.append(message)
    return records


def produce_consume(brokers, prefix, _):
    """Every codec and every level of acknowledgement; keys, headers, tombstones and times come back as sent."""
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        for acks in ("0", "1", "all"):
            topic = f"{prefix}-{codec}-{acks}"
            create(brokers, topic, 1)
            reports = []
            producer = Producer(
                {"bootstrap.servers": brokers, "compression.type": codec, "acks": acks, "linger.ms": 5}
            )
            for i in range(100):
                producer.produce(
                    topic,
                    key=None if i % 10 == 0 else f"k{i}",
                    value=None if i % 10 == 1 else f"value {i} " + "x" * 50,
                    headers=[("n", str(i).encode()), ("none", None)],
                    timestamp=START_MS + i,
                    on_delivery=lambda error, _: reports.append(error),
                )
            equal(0, producer.flush(30), f"{topic}: records left after the flush")
            equal([None] * 100, reports, f"{topic}: delivery reports")
            reader = consumer(brokers, f"{topic}-group")
            reader.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
            for i, record in enumerate(poll_for(reader, 100)):
                equal(i, record.offset(), f"{topic}: offset")
                equal(None if i % 10 == 0 else f"k{i}".encode(), record.key(), f"{topic}: key {i}")
                equal(None if i % 10 == 1 else f"value {i} ".encode() + b"x" * 50, record.value(), f"{topic}: value {i}")
                equal([("n", str(i).encode()), ("none", None)], record.headers(), f"{topic}: headers {i}")
                equal(START_MS + i, record.timestamp()[1], f"{topic}: time {i}")
            reader.close()


def idempotence(brokers, prefix, _):
    """The idempotent producer stores each record once, in order, with five requests in flight."""
    create(brokers, prefix, 1)
    producer = Producer(
        {"bootstrap.servers": brokers, "enable.idempotence": True, "batch.num.messages": 20, "linger.ms": 0}
    )
    for i in range(1000):
        producer.produce(prefix, value=str(i))
    equal(0, producer.flush(30), "records left after the flush")
    reader = consumer(brokers, f"{prefix}-group")
    reader.assign([TopicPartition(prefix, 0, OFFSET_BEGINNING)])
    equal([str(i).encode() for i in range(1000)], [r.value() for r in poll_for(reader, 1000)], "values")
    reader.close()


def groups(brokers, prefix, protocol):
    """Two members share four partitions, one leaves, the committed position survives."""
    create(brokers, prefix, 4)
    producer = Producer({"bootstrap.servers": brokers})
    for i in range(40):
        producer.produce(prefix, value=str(i), partition=i % 4)
    producer.flush(30)
    more = {"group_protocol": protocol}
    if protocol == "classic":
        more |= {"session_timeout_ms": 10000, "heartbeat_interval_ms": 200, "partition_assignment_strategy": "cooperative-sticky"}
    first, second = (consumer(brokers, f"{prefix}-group", **more) for _ in range(2))
    first.subscribe([prefix])
    equal(40, len(poll_for(first, 40)), "records of a lone member")
    first.commit(asynchronous=False)
    second.subscribe([prefix])

    def two_each():
        for member in (first, second):
            message = member.poll(0.05)
            assert message is None or message.error() is None, message.error()
            assert message is None, f"read again after the commit: {message.partition()} {message.offset()}"
        return len(first.assignment()) == 2 and len(second.assignment()) == 2

    until("two partitions each", two_each)
    first.close()

    def all_of_them():
        assert second.poll(0.05) is None
        return len(second.assignment()) == 4

    until("all partitions", all_of_them)
    committed = second.committed([TopicPartition(prefix, p) for p in range(4)], timeout=10)
    equal([10] * 4, [p.offset for p in committed], "committed offsets")
    equal((0, 10), second.get_watermark_offsets(TopicPartition(prefix, 0), timeout=10), "watermarks")
    second.seek(TopicPartition(prefix, 2, 8))
    equal([b"34", b"38"], [r.value() for r in poll_for(second, 2)], "records after a seek")
    second.close()


def transactions(brokers, prefix, _):
    """Committed records are read, aborted ones are not, and offsets move with the transaction."""
    create(brokers, f"{prefix}-in", 1)
    create(brokers, f"{prefix}-out", 1)
    producer = Producer({"bootstrap.servers": brokers, "transactional.id": f"{prefix}-tx"})
    producer.init_transactions(30)
    for outcome in ("commit", "abort", "commit"):
        producer.begin_transaction()
        for i in range(5):
            producer.produce(f"{prefix}-in", value=f"{outcome} {i}")
        producer.flush(30)
        if outcome == "commit":
            producer.commit_transaction(30)
        else:
            producer.abort_transaction(30)
    reader = consumer(brokers, f"{prefix}-group", isolation_level="read_committed")
    reader.subscribe([f"{prefix}-in"])
    records = poll_for(reader, 10)
    assert all(r.value().startswith(b"commit") for r in records), [r.value() for r in records]
    position = reader.position(reader.assignment())
    for outcome in ("abort", "commit"):
        producer.begin_transaction()
        producer.produce(f"{prefix}-out", value=outcome)
        producer.send_offsets_to_transaction(position, reader.consumer_group_metadata(), 30)
        if outcome == "commit":
            producer.commit_transaction(30)
        else:
            producer.abort_transaction(30)
            equal([-1001], [p.offset for p in reader.committed(reader.assignment(), timeout=10)], "after an abort")
    equal([position[0].offset], [p.offset for p in reader.committed(reader.assignment(), timeout=10)], "committed")
    reader.close()
    output = consumer(brokers, f"{prefix}-check", isolation_level="read_committed")
    output.assign([TopicPartition(f"{prefix}-out", 0, OFFSET_BEGINNING)])
    equal([b"commit"], [r.value() for r in poll_for(output, 1)], "output")
    output.close()
    zombie, successor = (Producer({"bootstrap.servers": brokers, "transactional.id": f"{prefix}-z"}) for _ in range(2))
    zombie.init_transactions(30)
    zombie.begin_transaction()
    zombie.produce(f"{prefix}-out", value="zombie")
    zombie.flush(30)
    successor.init_transactions(30)
    try:
        zombie.commit_transaction(30)
        raise AssertionError("a fenced producer committed")
    except KafkaException as error:
        equal(KafkaError._FENCED, error.args[0].code(), "what a fenced producer is told")


def admin(brokers, prefix, _):
    """Topics, configurations, groups and offsets through librdkafka's admin client."""
    client = create(brokers, prefix, 2)
    client.create_partitions([NewPartitions(prefix, 3)])[prefix].result(30)
    until("three partitions", lambda: len(client.list_topics(prefix, timeout=10).topics[prefix].partitions) == 3)
    resource = ConfigResource(ResourceType.TOPIC, prefix)
    equal("delete", client.describe_configs([resource])[resource].result(30)["cleanup.policy"].value, "policy")
    change = ConfigEntry("cleanup.policy", "compact", incremental_operation=AlterConfigOpType.APPEND)
    wanted = ConfigResource(ResourceType.TOPIC, prefix, incremental_configs=[change])
    client.incremental_alter_configs([wanted])[wanted].result(30)
    until(
        "the new policy",
        lambda: client.describe_configs([resource])[resource].result(30)["cleanup.policy"].value in ("delete,compact", "compact,delete"),
    )
    assert client.describe_cluster().result(30).cluster_id
    producer = Producer({"bootstrap.servers": brokers})
    for i in range(10):
        producer.produce(prefix, key=str(i), value=str(i), partition=0, timestamp=START_MS + i)
    producer.flush(30)
    zero = TopicPartition(prefix, 0)
    for spec, expected in (
        (OffsetSpec.earliest(), 0),
        (OffsetSpec.latest(), 10),
        (OffsetSpec.max_timestamp(), 9),
        (OffsetSpec.for_timestamp(START_MS + 4), 4),
    ):
        found = client.list_offsets({zero: spec}, isolation_level=IsolationLevel.READ_COMMITTED)[zero].result(30)
        equal(expected, found.offset, f"offset by {spec}")
    equal(4, client.delete_records([TopicPartition(prefix, 0, 4)])[TopicPartition(prefix, 0, 4)].result(30).low_watermark, "low")
    group = f"{prefix}-group"
    offsets = ConsumerGroupTopicPartitions(group, [TopicPartition(prefix, 0, 7)])
    client.alter_consumer_group_offsets([offsets])[group].result(30)
    listed = client.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group].result(30)
    equal([(0, 7)], [(p.partition, p.offset) for p in listed.topic_partitions], "offsets of the group")
    assert group in [g.group_id for g in client.list_consumer_groups().result(30).valid]
    equal("EMPTY", client.describe_consumer_groups([group])[group].result(30).state.name, "state of the group")
    client.delete_consumer_groups([group])[group].result(30)
    client.delete_topics([prefix])[prefix].result(30)
    until("the topic is gone", lambda: prefix not in client.list_topics(timeout=10).topics)


def sasl(brokers, prefix, mechanism):
    """The right password gets in, a wrong one does not."""

    def client(password):
        return AdminClient(
            {
                "bootstrap.servers": brokers,
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanisms": mechanism,
                "sasl.username": os.environ["SASL_USERNAME"],
                "sasl.password": password,
                "error_cb": errors.append,
                "log_level": 0,
            }
        )

    errors = []
    password = os.environ["SASL_PASSWORD"]
    admitted = client(password)
    admitted.create_topics([NewTopic(prefix, 1, 1)])[prefix].result(30)
    equal([], errors, "errors with the right password")
    refused = client("wrong")

    def is_refused():
        refused.poll(0.1)
        return any(error.code() == KafkaError._AUTHENTICATION for error in errors)

    until("refused with a wrong password", is_refused)


if __name__ == "__main__":
    scenario, brokers, prefix, protocol = (sys.argv[1:] + [""])[:4]
    {f.__name__: f for f in (produce_consume, idempotence, groups, transactions, admin, sasl)}[scenario](
        brokers, prefix, protocol
    )
    print("ok")
