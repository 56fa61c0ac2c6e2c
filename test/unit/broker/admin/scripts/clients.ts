/** Quotas and SCRAM credentials of clients. */
import { describeClientQuotasApi } from '../../../../../src/protocol/generated/48-describe-client-quotas.ts'
import { alterClientQuotasApi } from '../../../../../src/protocol/generated/49-alter-client-quotas.ts'
import { describeUserScramCredentialsApi } from '../../../../../src/protocol/generated/50-describe-user-scram-credentials.ts'
import { alterUserScramCredentialsApi } from '../../../../../src/protocol/generated/51-alter-user-scram-credentials.ts'
import type { Script } from '../transcript.ts'

type Part = readonly [type: string, name: string | null]
type Value = readonly [key: string, value: number | null]

export const quotas: Script = async (to) => {
  const alter = (say: string, entries: (readonly [Part[], ...Value[]])[], more = {}, version = 1) => {
    const list = entries.map(([entity, ...values]) => ({
      entity: entity.map(([entityType, entityName]) => ({ entityType, entityName })),
      ops: values.map(([key, value]) => ({ key, value: value ?? 0, remove: value === null })),
    }))
    return to.ask(say, alterClientQuotasApi, version, { entries: list, ...more })
  }
  const describe = async (say: string, filter: (readonly [string, number, string?])[], strict = false, version = 1) => {
    await to.settle()
    const components = filter.map(([entityType, matchType, match = null]) => ({ entityType, matchType, match }))
    return to.ask(say, describeClientQuotasApi, version, { components, strict })
  }
  await alter('a user', [[[['user', 'alice']], ['producer_byte_rate', 1000], ['request_percentage', 50.5]]])
  await alter('a user, as it was then', [[[['user', 'carol']], ['producer_byte_rate', 1000]]], {}, 0)
  await alter('all users', [[[['user', null]], ['consumer_byte_rate', 1000]]])
  await alter('a user with a client', [
    [
      [
        ['user', 'alice'],
        ['client-id', 'c'],
      ],
      ['controller_mutation_rate', 1.5],
    ],
  ])
  await alter('clients', [
    [[['client-id', 'c']], ['producer_byte_rate', 7]],
    [[['client-id', null]], ['producer_byte_rate', 8]],
  ])
  await alter('addresses', [
    [[['ip', '127.0.0.1']], ['connection_creation_rate', 7]],
    [[['ip', null]], ['connection_creation_rate', 8]],
  ])
  await alter('no address', [[[['ip', 'not an ip']], ['connection_creation_rate', 7]]])
  await alter('an address with a user', [
    [
      [
        ['ip', '127.0.0.1'],
        ['user', 'a'],
      ],
      ['connection_creation_rate', 7],
    ],
  ])
  await alter('part of a byte', [[[['user', 'a']], ['consumer_byte_rate', 1000.5]]])
  await alter('part of a connection', [[[['ip', '127.0.0.2']], ['connection_creation_rate', 7.5]]])
  await alter('too many connections', [[[['ip', '127.0.0.2']], ['connection_creation_rate', 2 ** 31]]])
  await alter('bytes of an address', [[[['ip', '127.0.0.2']], ['producer_byte_rate', 7]]])
  await alter('connections of a user', [[[['user', 'a']], ['connection_creation_rate', 7]]])
  await alter('an unknown key', [[[['user', 'a']], ['foo', 7]]])
  await alter('an unknown key is removed', [[[['user', 'a']], ['foo', null]]])
  await alter('nothing allowed', [[[['user', 'a']], ['producer_byte_rate', 0]]])
  await alter('less than nothing', [[[['user', 'a']], ['producer_byte_rate', -1]]])
  await alter('everything', [[[['user', 'a']], ['producer_byte_rate', Number.POSITIVE_INFINITY]]])
  await alter('nobody', [[[], ['producer_byte_rate', 1]]])
  await alter('somebody twice', [
    [[['user', 'z']], ['producer_byte_rate', 1]],
    [[['user', 'z']], ['producer_byte_rate', 2]],
  ])
  await alter('an unknown type', [[[['foo', 'z']], ['producer_byte_rate', 1]]])
  await alter('an empty name', [[[['user', '']], ['producer_byte_rate', 1]]])
  await alter('only validated', [[[['user', 'v']], ['producer_byte_rate', 1]]], { validateOnly: true })
  await alter('what is not there is removed', [[[['user', 'nobody']], ['producer_byte_rate', null]]])
  await alter('no values', [[[['user', 'nobody']]]])
  await alter('no entities', [])
  await describe('all', [])
  await describe('all, strictly', [], true)
  await describe('users', [['user', 2]])
  await describe('users, strictly', [['user', 2]], true)
  await describe('a user', [['user', 0, 'alice']])
  await describe('a user, strictly', [['user', 0, 'alice']], true)
  await describe('the default of users', [['user', 1]])
  await describe('a user with any client', [
    ['user', 0, 'alice'],
    ['client-id', 2],
  ])
  await describe('clients, as it was then', [['client-id', 2]], false, 0)
  await describe('a stranger', [['user', 0, 'nobody']])
  await describe('addresses', [['ip', 2]])
  await describe('addresses and users', [
    ['ip', 2],
    ['user', 2],
  ])
  await describe('an unknown type', [['foo', 2]])
  await describe('an empty type', [['', 2]])
  await describe('an unknown match', [['user', 7]])
  await describe('an exact match without a name', [['user', 0]])
  await describe('a default with a name', [['user', 1, 'x']])
  await describe('any, with a name', [['user', 2, 'x']])
  await describe('a type twice', [
    ['user', 2],
    ['user', 2],
  ])
  await alter('removed', [
    [[['user', 'alice']], ['producer_byte_rate', null], ['request_percentage', null]],
    [[['ip', null]], ['connection_creation_rate', null]],
  ])
  await describe('what is left', [])
}

export const scram: Script = async (to) => {
  const salt = Buffer.from('salt')
  const saltedPassword = Buffer.alloc(32, 7)
  const good = { name: 'bob', mechanism: 1, iterations: 4096, salt, saltedPassword }
  const upsert = (say: string, ...upsertions: (typeof good)[]) =>
    to.ask(say, alterUserScramCredentialsApi, 0, { upsertions })
  const remove = (say: string, ...deletions: { name: string; mechanism: number }[]) =>
    to.ask(say, alterUserScramCredentialsApi, 0, { deletions })
  const describe = async (say: string, users: string[] | null) => {
    await to.settle()
    const list = users?.map((name) => ({ name })) ?? null
    return to.ask(say, describeUserScramCredentialsApi, 0, { users: list })
  }
  await describe('nobody is there', null)
  await describe('a stranger', ['nobody'])
  await upsert('one', good)
  await upsert('the other mechanism', { ...good, mechanism: 2, iterations: 5000, saltedPassword: Buffer.alloc(64, 7) })
  await upsert('too few rounds', { ...good, iterations: 4095 })
  await upsert('too many rounds', { ...good, iterations: 16_385 })
  await upsert('an unknown mechanism', { ...good, mechanism: 7 })
  await upsert('no mechanism', { ...good, mechanism: 0 })
  await upsert('no name', { ...good, name: '' })
  await upsert('no salt', { ...good, name: 'carl', salt: Buffer.alloc(0) })
  await upsert('twice', { ...good, name: 'emil' }, { ...good, name: 'emil', mechanism: 2 })
  await upsert('one good, one bad', { ...good, name: 'fay' }, { ...good, name: 'gus', iterations: 1 })
  await remove(
    'who is not there',
    { name: 'nobody', mechanism: 1 },
    { name: 'bob', mechanism: 7 },
    { name: '', mechanism: 1 },
  )
  const both = { deletions: [{ name: 'bob', mechanism: 1 }], upsertions: [good] }
  await to.ask('removed and set', alterUserScramCredentialsApi, 0, both)
  await describe('all', null)
  await describe('none named', [])
  await describe('one known, one not', ['bob', 'nobody'])
  await describe('one twice', ['bob', 'bob', 'carl'])
  await remove('one mechanism', { name: 'bob', mechanism: 1 })
  await describe('what is left', ['bob'])
  await remove('two users', { name: 'bob', mechanism: 2 }, { name: 'carl', mechanism: 1 })
  await remove('nothing')
  await describe('in the end', null)
}
