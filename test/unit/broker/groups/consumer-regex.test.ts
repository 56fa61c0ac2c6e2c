import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compileTopicPattern, type TopicPattern } from '../../../../src/broker/groups/consumer/pattern/topic-pattern.ts'
import { World } from './consumer-world.ts'

function pattern(regex: string): TopicPattern {
  const compiled = compileTopicPattern(regex)
  assert.ok('matches' in compiled, `${regex}: ${'problem' in compiled && compiled.problem}`)
  return compiled
}

describe('G3 · regular expressions in RE2 syntax', () => {
  // The expression, names that match, names that do not; all as Apache Kafka 4.1.1 (re2j 1.8) has it.
  // biome-ignore format: a table
  const table: [regex: string, yes: string[], no: string[]][] = [
    ['orders', ['orders'], ['order', 'orders2', 'my-orders']],
    ['orders-.*', ['orders-', 'orders-eu'], ['orders', 'x-orders-eu']],
    ['a|bc', ['a', 'bc'], ['ac', 'b', 'abc']],
    ['(a|b)*c', ['c', 'abac'], ['ab', 'cc']],
    ['^a$', ['a'], ['aa']],
    ['a.c', ['abc', 'a.c'], ['ac']],
    ['a\\.c', ['a.c'], ['abc']],
    ['\\Qa.c\\E+', ['a.c', 'a.cc'], ['abc', 'a.ca.c']],
    ['[a-c_]+', ['a', 'c_b'], ['', 'd']],
    ['[^a]x', ['bx'], ['ax']],
    ['[]-]', [']', '-'], ['a']],
    ['[[:alpha:]][[:^digit:]]', ['ab', 'a-'], ['a1', '1a']],
    ['\\d{2,3}', ['12', '123'], ['1', '1234']],
    ['\\w+-\\W', ['a_1--'], ['a-b']],
    ['a{2}', ['aa'], ['a', 'aaa']],
    ['a{2,}', ['aa', 'aaaa'], ['a']],
    ['a{,2}', ['a{,2}'], ['a', 'aa']],
    ['x{0}y', ['y'], ['xy']],
    ['a??b+?', ['b', 'abb'], ['a']],
    ['(?i)aBc', ['abc', 'ABC'], ['abd']],
    ['(?i:a)b', ['Ab'], ['AB']],
    ['a(?i)b', ['aB'], ['AB']],
    ['(?i)[k-l]+\\x6d', ['KLM'], ['KN']],
    ['(?P<env>eu|us)-(?<kind>a)', ['eu-a'], ['eu']],
    ['\\ba\\b-\\B', ['a-'], ['aa', 'b-']],
    ['\\p{Lu}\\PL\\p{^Greek}', ['A1x'], ['a1x']],
    ['\\x{61}\\141', ['aa'], ['a']],
    ['a(?i)*', ['', 'aa'], ['A']],
    ['()|(|a)*', ['', 'aaa'], ['b']],
  ]
  for (const [regex, yes, no] of table) {
    test(regex, () => {
      const compiled = pattern(regex)
      for (const name of yes) assert.ok(compiled.matches(name), `${regex} should match '${name}'`)
      for (const name of no) assert.ok(!compiled.matches(name), `${regex} should not match '${name}'`)
    })
  }

  test('what RE2 does not have, and what is none, is refused with a reason', () => {
    const bad =
      '( ) a) (?: (?=a) (?!a) (?<=a) (?<!a) (?P=x) (a)\\1 \\8 \\Z \\C \\y [a [b-a] [a-\\d] [[:nope:]] \\p \\p{Nope} * a** a*+ a{2}{3} ' +
      'a{2,1} a{1001} \\x6 \\x{110000} (?i-) (?x) (?P<n>a)(?P<n>b) (?P<>a) \\'
    for (const regex of bad.split(' ')) {
      const compiled = compileTopicPattern(regex)
      assert.ok('problem' in compiled && compiled.problem.length > 3, `${regex} should be refused`)
    }
  })

  test('no expression takes long: ways are followed together, sizes have a bound', () => {
    const name = 'a'.repeat(249)
    for (const regex of ['(a*)*b', '(a|a)*b', '(a+)+$b', '(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)b', `${'a?'.repeat(400)}b`]) {
      assert.equal(pattern(regex).matches(name), false)
    }
    assert.equal(pattern('(a?){900}').matches(name), true)
    for (const regex of ['(a{100}){100}', '('.repeat(300) + ')'.repeat(300), 'a'.repeat(10_000)]) {
      assert.ok('problem' in compileTopicPattern(regex))
    }
  })
})

describe('G3 · consumer protocol: subscription by regular expression', () => {
  const re = { subscribedTopicRegex: 'r.' }

  test('the topics come with the next heartbeat, for all who share the expression', async () => {
    const world = new World({ ra: 2, rb: 2, zz: 2 })
    assert.deepEqual((await world.join('a', re)).told, '')
    world.clock.advance(0)
    assert.equal((await world.beat('a', 1)).told, 'ra-0 ra-1 rb-0 rb-1')
    assert.deepEqual([(await world.join('b', re)).epoch], [3], 'known already: a new target at once')
    assert.ok(world.group.isSubscribedTo('ra') && !world.group.isSubscribedTo('zz'))
    assert.deepEqual(
      world.described().members.map((member) => member.subscribedTopicRegex),
      ['r.', 'r.'],
    )
  })

  test('an expression that is none is refused, and the group never came into being', async () => {
    const world = new World()
    assert.equal((await world.join('a', { subscribedTopicRegex: '(' })).error, 'INVALID_REGULAR_EXPRESSION')
    assert.equal(world.group.exists, false)
    await world.join('a')
    const answer = await world.beat('a', 1, { subscribedTopicRegex: '*' })
    assert.equal(answer.error, 'INVALID_REGULAR_EXPRESSION')
    assert.equal(world.described().members[0]?.subscribedTopicRegex, '')
  })

  test('new topics are found, though not more often than every ten seconds', async () => {
    const world = new World({ ra: 1 })
    await world.join('a', re)
    world.clock.advance(0)
    await world.beat('a', 1)
    world.changeTopic('rb', 1)
    await world.beat('a', 2)
    world.clock.advance(0)
    assert.equal((await world.beat('a', 2)).told, null, 'too early')
    world.clock.advance(10_001)
    await world.beat('a', 2)
    world.clock.advance(0)
    assert.equal((await world.beat('a', 2)).told, 'ra-0 rb-0')
  })

  test('a topic that is deleted goes at once; a look without news raises no epoch', async () => {
    const world = new World({ ra: 1, rb: 1 })
    await world.join('a', re)
    world.clock.advance(0)
    await world.beat('a', 1)
    world.changeTopic('ra', undefined)
    assert.equal((await world.own('a', 2, '')).told, 'rb-0')
    world.options.sessionTimeoutMs = 10_000_000
    await world.beat('a', 3)
    for (const waitMs of [10_001, 600_001]) {
      world.clock.advance(waitMs)
      await world.beat('a', 3)
      world.clock.advance(0)
    }
    assert.equal((await world.beat('a', 3)).epoch, 4, 'the deleted topic left the list of matches')
    world.clock.advance(600_001)
    await world.beat('a', 4)
    world.clock.advance(0)
    assert.equal((await world.beat('a', 4)).epoch, 4)
  })

  test('names and an expression together; the expression is dropped with its last member', async () => {
    const world = new World({ ra: 1, t: 1 })
    await world.join('a', { ...re, subscribedTopicNames: ['t'] })
    world.clock.advance(0)
    assert.equal((await world.beat('a', 1)).told, 'ra-0 t-0')
    await world.beat('a', 2, { subscribedTopicRegex: '' })
    assert.equal(world.group.isSubscribedTo('ra'), false)
    world.group.forceRebalance()
    assert.equal((await world.own('a', 2, 't-0')).told, 't-0')
  })

  test('the last member of an expression leaves: its topics are none of the group any more, also after a restart', async () => {
    const world = new World({ ra: 1, t: 1 })
    await world.join('a', re)
    await world.join('b')
    world.clock.advance(0)
    await world.beat('a', 1)
    assert.equal(world.group.isSubscribedTo('ra'), true)
    await world.beat('a', -1)
    assert.equal(world.group.isSubscribedTo('ra'), false)
    world.restart()
    assert.equal(world.group.isSubscribedTo('ra'), false)
  })

  test('a large look takes several turns and ends with the same result', async () => {
    const topics = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`topic-${'x'.repeat(100)}-${i}`, 1]))
    const world = new World(topics)
    await world.join('a', { subscribedTopicRegex: '(topic-x{100}-.*){1,9}' })
    world.clock.advance(0)
    assert.equal((await world.beat('a', 1)).told?.split(' ').length, 300)
  })

  test('after a restart the expressions are looked up again', async () => {
    const world = new World({ ra: 1 })
    await world.join('a', re)
    world.clock.advance(0)
    await world.beat('a', 1)
    world.topics.set('rb', 1)
    world.restart()
    world.clock.advance(10_001)
    await world.beat('a', 2)
    world.clock.advance(0)
    assert.equal((await world.beat('a', 2)).told, 'ra-0 rb-0')
  })
})
