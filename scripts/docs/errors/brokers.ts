import type { Group } from './entry.ts'

export const brokers: Group = {
  title: 'Brokers and connections',
  about:
    'Those that can pass by themselves are tried again, logged, and shown by `fanlane doctor`; a client waits for them. The others are thrown at whoever asked.',
  entries: {
    BROKER_UNREACHABLE: [
      'No connection to this address.',
      'Wrong host or port, a firewall, or the broker is down. The message has the reason of the system.',
      'Check `brokers`. In a container, `localhost` is the container itself.',
    ],
    BROKERS_UNREACHABLE: [
      'The command line found none of the brokers.',
      'As above, for all of them.',
      'Give `--brokers` or `KAFKA_BROKERS`, or start one: `fanlane broker`.',
    ],
    CONNECTION_LOST: [
      'There was a connection, and the other side ended it.',
      'A broker that is stopping, an idle time-out in between, or a login that is needed and was not given.',
      'It is opened again. If it happens at the first request, look at `client.sasl`.',
    ],
    BROKER_SILENT: [
      'A broker did not answer in time.',
      'It is overloaded, or something between swallows packets.',
      'It is asked again on a new connection. Raise `client.requestTimeoutMs` for slow networks.',
    ],
    BROKER_ANSWER_INVALID: [
      'What came back is no answer to what was asked.',
      'The port speaks another protocol, or something in between changes bytes.',
      'Check that the port is one of Kafka.',
    ],
    BROKER_UNKNOWN: [
      'A broker was named by its number, and the cluster has none of that number.',
      'It was removed, or the number is wrong.',
      'List the brokers: `admin.describeCluster()`.',
    ],
    CLIENT_CLOSED: [
      'A client was closed while somebody waited for its answer.',
      '`close()` at the same moment.',
      'Nothing, if you meant it. Otherwise close later.',
    ],
    TIMEOUT: [
      'An admin request, or reading dead letters, was not answered in time.',
      'No broker, no leader, or one that is overloaded.',
      'Look at the brokers; raise the time-out for slow clusters.',
    ],
    TLS_FAILED: [
      'No TLS connection, or TLS on one side only.',
      'A certificate that is not trusted, another host name in it, the wrong port.',
      'The message has the fix for the reason that OpenSSL gave: `client.tls.ca`, `servername`, or the other port.',
    ],
    AUTHENTICATION_FAILED: [
      'The broker refused the login, or offers no mechanism that we have.',
      'Wrong user or password, or another mechanism.',
      'Check `client.sasl` against what the broker has; its own log says more.',
    ],
    SASL_UNTRUSTED: [
      'SCRAM: the broker could not prove that it knows the password.',
      'It is not the broker that it should be.',
      'Check the address, and use TLS.',
    ],
    TOKEN_UNAVAILABLE: [
      'The function `sasl.token` failed.',
      'The identity provider is away.',
      'It is asked again at the next login. The cause is attached.',
    ],
    TOKEN_INVALID: [
      'The function `sasl.token` gave no usable token.',
      'It must give `{ value }`, a text without spaces; names of extensions are letters only.',
      'Correct what it returns.',
    ],
    BATCH_DAMAGED: [
      'Records that were read do not match their checksum.',
      'Damage on the way, or on the disk of the broker.',
      'It is read again. If it stays so, restore the partition from another replica, or `seek` past it.',
    ],
    FETCH_INCOMPLETE: [
      'A broker keeps sending less than one whole batch.',
      'A batch that is larger than `client.partitionMaxBytes`, on a broker that cuts it.',
      'Raise `client.partitionMaxBytes` above the largest batch.',
    ],
    SEVERAL_FAILURES: [
      'An admin call failed for several things, for different reasons.',
      'See `error.failures`: each has its own error.',
      'What could be done was done and is in `error.results`; `settled()` gives both.',
    ],
  },
}
