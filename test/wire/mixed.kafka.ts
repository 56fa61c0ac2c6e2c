/** A group that moves from Kafka's Java consumer, librdkafka or KafkaJS to this one, and back, on Apache Kafka. */
import { describe } from 'node:test'
import { whyNoJava } from '../support/java.ts'
import { findPython } from '../support/python.ts'
import { loudly, onKafka } from '../support/targets.ts'
import { kafkaJsPair, mixedGroups } from './mixed.suite.ts'
import { javaClient, kafkaJsClient, librdkafkaClient } from './support/mixed-members.ts'

const java = 'org.apache.kafka.clients.consumer.'
const beats = { 'session.timeout.ms': '10000', 'heartbeat.interval.ms': '200' }
const noJava = await whyNoJava()
const python = await findPython()

await onKafka(({ brokers }) => {
  if (noJava !== undefined) loudly(`mixed groups with the Java consumer NOT RUN: ${noJava}`)
  else {
    describe('the Java consumer', () => {
      mixedGroups(brokers, () => javaClient(brokers), [
        { title: 'defaults on both sides', ours: {}, theirs: beats, repeatsMax: 0 },
        {
          title: 'cooperative-sticky',
          ours: { assignors: ['cooperative-sticky'] },
          theirs: { ...beats, 'partition.assignment.strategy': `${java}CooperativeStickyAssignor` },
          repeatsMax: 0,
        },
        {
          title: 'range',
          ours: { assignors: ['range'] },
          theirs: { ...beats, 'partition.assignment.strategy': `${java}RangeAssignor` },
          repeatsMax: 0,
        },
        {
          title: 'consumer protocol',
          ours: { protocol: 'consumer' },
          theirs: { 'group.protocol': 'consumer' },
          repeatsMax: 0,
        },
        {
          title: 'they classic, ours with the consumer protocol',
          ours: { protocol: 'consumer' },
          theirs: beats,
          repeatsMax: 0,
        },
      ])
    })
  }
  if ('missing' in python) loudly(`mixed groups with librdkafka NOT RUN: ${python.missing}`)
  else {
    const theirs = (strategy: string) => ({ ...beats, 'partition.assignment.strategy': strategy })
    describe('librdkafka', () => {
      mixedGroups(brokers, () => Promise.resolve(librdkafkaClient(brokers, python.program)), [
        { title: 'range', ours: { assignors: ['range'] }, theirs: theirs('range,roundrobin'), repeatsMax: 0 },
        {
          title: 'roundrobin',
          ours: { assignors: ['roundrobin', 'range'] },
          theirs: theirs('roundrobin,range'),
          repeatsMax: 0,
        },
        { title: 'cooperative-sticky', ours: {}, theirs: theirs('cooperative-sticky'), repeatsMax: 0 },
      ])
    })
  }
  describe('KafkaJS', () => mixedGroups(brokers, () => Promise.resolve(kafkaJsClient(brokers)), [kafkaJsPair]))
})
