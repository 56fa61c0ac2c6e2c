"""Members of groups that others share, by librdkafka: mixed-member.py BROKERS, then one order a line, its fields apart by tabs:
"join NAME GROUP TOPIC LEDGER [setting=value ...]" and "leave NAME". A member writes a line to the ledger before and after each
record, commits behind each, and waits for the commit when partitions go. What it holds, and that it has left, is printed.
"""

import json
import sys
import threading
import time

from confluent_kafka import Consumer, KafkaError, KafkaException

members = {}
printing = threading.Lock()


class Member(threading.Thread):
    def __init__(self, name, group, topic, ledger, *settings):
        super().__init__(name=name, daemon=True)
        self.topic = topic
        self.ledger = ledger
        self.is_leaving = threading.Event()
        self.said = ""
        more = dict(setting.split("=", 1) for setting in settings)
        self.consumer = Consumer(
            {
                "bootstrap.servers": sys.argv[1],
                "group.id": group,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "check.crcs": True,
            }
            | more
        )

    def tell(self, what, more=""):
        with printing:
            print(what, self.name, more, sep="\t", flush=True)

    def run(self):
        try:
            with open(self.ledger, "ab", buffering=0) as ledger:
                self.consumer.subscribe([self.topic], on_revoke=self.revoked, on_lost=lambda *_: self.tell("lost"))
                self.read(ledger)
        except Exception as error:
            self.tell("failed", repr(error))

    def read(self, ledger):
        while not self.is_leaving.is_set():
            record = self.consumer.poll(0.05)
            if record is not None:
                if record.error():
                    raise KafkaException(record.error())
                for kind in ("start", "end"):
                    ledger.write(self.entry(kind, record))
                self.consumer.commit(asynchronous=True)
            self.tell_held()
        # Closing gives the partitions up, and so commits.
        self.consumer.close()
        self.tell("left")

    def revoked(self, consumer, partitions):
        try:
            consumer.commit(asynchronous=False)
        except KafkaException as error:
            # Nothing was read.
            if error.args[0].code() != KafkaError._NO_OFFSET:
                self.tell("failed", repr(error))

    def entry(self, kind, record):
        line = {
            "kind": kind,
            "member": self.name,
            "topic": record.topic(),
            "partition": record.partition(),
            "offset": record.offset(),
            "key": record.key().decode(),
            "value": record.value().decode(),
            "atNs": str(time.monotonic_ns()),
        }
        return (json.dumps(line) + "\n").encode()

    def tell_held(self):
        held = ",".join(sorted(f"{each.topic}-{each.partition}" for each in self.consumer.assignment()))
        if held != self.said:
            self.said = held
            self.tell("holds", held)


for order in sys.stdin:
    what, *fields = order.rstrip("\n").split("\t")
    if what == "leave":
        members.pop(fields[0]).is_leaving.set()
    else:
        members[fields[0]] = Member(*fields)
        members[fields[0]].start()
