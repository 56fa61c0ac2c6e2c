import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What an operator does with the Java admin client: {@code AdminWalk BROKERS PREFIX}. */
public final class AdminWalk {
  private static String brokers;
  private static String topic;

  public static void main(String[] args) throws Exception {
    brokers = args[0];
    topic = args[1] + "-topic";
    try (Admin admin = Admin.create(Check.properties(brokers))) {
      topics(admin);
      configs(admin);
      records(admin);
      groups(admin, args[1] + "-group");
      deletion(admin);
    }
    System.out.println("ok");
  }

  private static TopicDescription describe(Admin admin) throws Exception {
    return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
  }

  private static void topics(Admin admin) throws Exception {
    var cluster = admin.describeCluster();
    Check.that(!cluster.nodes().get().isEmpty(), "nodes of the cluster");
    Check.that(!cluster.clusterId().get().isEmpty(), "cluster id");
    NewTopic wanted = new NewTopic(topic, 2, (short) 1).configs(Map.of("retention.ms", "600000"));
    admin.createTopics(List.of(wanted), new org.apache.kafka.clients.admin.CreateTopicsOptions().validateOnly(true))
        .all().get();
    Check.that(!admin.listTopics().names().get().contains(topic), "validation creates nothing");
    var created = admin.createTopics(List.of(wanted));
    Check.equal(2, created.numPartitions(topic).get(), "partitions of the answer");
    Check.equal("600000", created.config(topic).get().get("retention.ms").value(), "config of the answer");
    Check.fails(TopicExistsException.class, () -> admin.createTopics(List.of(wanted)).all().get(), "twice");
    Check.fails(InvalidTopicException.class,
        () -> admin.createTopics(List.of(new NewTopic("no/slash", 1, (short) 1))).all().get(), "bad name");
    Check.fails(InvalidPartitionsException.class,
        () -> admin.createTopics(List.of(new NewTopic(topic + "-0", 0, (short) 1))).all().get(), "no partitions");
    Check.fails(InvalidConfigurationException.class, () -> admin.createTopics(
        List.of(new NewTopic(topic + "-bad", 1, (short) 1).configs(Map.of("retention.ms", "soon")))).all().get(), "config");
    Check.until("listed", () -> admin.listTopics().names().get().contains(topic));
    admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(3))).all().get();
    Check.until("three partitions", () -> describe(admin).partitions().size() == 3);
    Check.fails(InvalidPartitionsException.class,
        () -> admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(1))).all().get(), "fewer partitions");
    TopicDescription byId = admin.describeTopics(TopicCollection.ofTopicIds(List.of(describe(admin).topicId())))
        .allTopicIds().get().values().iterator().next();
    Check.equal(topic, byId.name(), "name by topic id");
    Check.fails(UnknownTopicOrPartitionException.class,
        () -> admin.describeTopics(List.of(topic + "-none")).allTopicNames().get(), "an unknown topic");
  }

  private static void configs(Admin admin) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    ConfigEntry before = admin.describeConfigs(List.of(resource)).all().get().get(resource).get("retention.ms");
    Check.equal("600000", before.value(), "retention");
    Check.equal(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG, before.source(), "source of the retention");
    Collection<AlterConfigOp> changes = List.of(
        new AlterConfigOp(new ConfigEntry("retention.ms", "700000"), AlterConfigOp.OpType.SET),
        new AlterConfigOp(new ConfigEntry("cleanup.policy", "compact"), AlterConfigOp.OpType.APPEND));
    admin.incrementalAlterConfigs(Map.of(resource, changes)).all().get();
    Check.until("changed", () -> {
      Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
      return config.get("retention.ms").value().equals("700000")
          && Set.of("compact,delete", "delete,compact").contains(config.get("cleanup.policy").value());
    });
    Collection<AlterConfigOp> reset = List.of(
        new AlterConfigOp(new ConfigEntry("retention.ms", ""), AlterConfigOp.OpType.DELETE),
        new AlterConfigOp(new ConfigEntry("cleanup.policy", "compact"), AlterConfigOp.OpType.SUBTRACT));
    admin.incrementalAlterConfigs(Map.of(resource, reset)).all().get();
    Check.until("reset", () -> {
      Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
      return config.get("retention.ms").isDefault() && config.get("cleanup.policy").value().equals("delete");
    });
    ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER,
        admin.describeCluster().nodes().get().iterator().next().idString());
    Check.that(admin.describeConfigs(List.of(broker)).all().get().get(broker).get("message.max.bytes") != null,
        "a broker's configuration");
  }

  private static void records(Admin admin) throws Exception {
    TopicPartition partition = new TopicPartition(topic, 0);
    // Near now: retention would delete records that are years old.
    long base = System.currentTimeMillis() - 60_000;
    long[] times = {base + 1_000, base + 3_000, base + 2_000};
    try (KafkaProducer<String, String> producer = Check.producer(brokers)) {
      for (long time : times) producer.send(new ProducerRecord<>(topic, 0, time, "k", "v" + time)).get();
    }
    Check.equal(0L, offset(admin, partition, OffsetSpec.earliest()), "earliest");
    Check.equal(3L, offset(admin, partition, OffsetSpec.latest()), "latest");
    Check.equal(1L, offset(admin, partition, OffsetSpec.maxTimestamp()), "largest time stamp");
    Check.equal(1L, offset(admin, partition, OffsetSpec.forTimestamp(base + 1_500)), "by time");
    Check.equal(-1L, offset(admin, partition, OffsetSpec.forTimestamp(base + 9_000)), "after the last");
    var deleted = admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(2)));
    Check.equal(2L, deleted.lowWatermarks().get(partition).get().lowWatermark(), "low watermark");
    Check.equal(2L, offset(admin, partition, OffsetSpec.earliest()), "earliest after deletion");
    Check.fails(OffsetOutOfRangeException.class,
        () -> admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(99))).all().get(), "past the end");
    var dirs = admin.describeLogDirs(Set.of(admin.describeCluster().nodes().get().iterator().next().id()))
        .allDescriptions().get().values().iterator().next();
    Check.that(dirs.values().stream().anyMatch(d -> d.replicaInfos().containsKey(partition)), "log directory");
  }

  private static long offset(Admin admin, TopicPartition partition, OffsetSpec spec) throws Exception {
    return admin.listOffsets(Map.of(partition, spec)).partitionResult(partition).get().offset();
  }

  private static void groups(Admin admin, String group) throws Exception {
    TopicPartition zero = new TopicPartition(topic, 0);
    TopicPartition one = new TopicPartition(topic, 1);
    admin.alterConsumerGroupOffsets(group, Map.of(zero, new OffsetAndMetadata(2, Optional.of(0), "by hand"),
        one, new OffsetAndMetadata(0))).all().get();
    var offsets = admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    Check.equal(2L, offsets.get(zero).offset(), "altered offset");
    Check.equal("by hand", offsets.get(zero).metadata(), "altered metadata");
    Check.that(admin.listGroups(new ListGroupsOptions()).all().get().stream().anyMatch(g -> g.groupId().equals(group)),
        "the group is listed");
    admin.deleteConsumerGroupOffsets(group, Set.of(one)).all().get();
    Check.equal(Set.of(zero), admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().keySet(),
        "offsets that are left");
    Check.equal("Empty", admin.describeConsumerGroups(List.of(group)).all().get().get(group).groupState().toString(),
        "state");
    admin.deleteConsumerGroups(List.of(group)).all().get();
    Check.fails(GroupIdNotFoundException.class, () -> admin.deleteConsumerGroups(List.of(group)).all().get(), "twice");
  }

  private static void deletion(Admin admin) throws Exception {
    admin.deleteTopics(TopicCollection.ofTopicIds(List.of(describe(admin).topicId()))).all().get();
    Check.until("gone", () -> !admin.listTopics().names().get().contains(topic));
    Check.fails(UnknownTopicOrPartitionException.class, () -> admin.deleteTopics(List.of(topic)).all().get(), "twice");
  }
}
