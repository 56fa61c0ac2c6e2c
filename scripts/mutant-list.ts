/** The faults that the simulator must notice. `find` must occur exactly once in its file. */
export interface Edit {
  readonly file: string
  readonly find: string
  readonly replace: string
}

export interface Mutant {
  readonly name: string
  readonly edits: readonly Edit[]
  /** A seed at which it was noticed. */
  readonly seed?: number
}

const one = (name: string, file: string, find: string, replace: string): Mutant => ({
  name,
  edits: [{ file, find, replace }],
})

const planted: readonly Mutant[] = [
  // What is committed.
  one(
    'commit highest seen',
    'kernel/tracker.ts',
    'return { position: asPosition(position), runs }',
    'return { position: this.admittedEnd, runs: [] }',
  ),
  one(
    'map base off by one',
    'kernel/tracker.ts',
    'runs.push(open, at - cursor)',
    'runs.push(Math.max(1, open - 1), at - cursor + (open > 1 ? 1 : 0))',
  ),
  one(
    'map encoded against another position',
    'kernel/commit.ts',
    'return flightEntry(lease, position, map, nowMs)',
    'return flightEntry(lease, lease.tracker.admittedEnd, map, nowMs)',
  ),
  one(
    'restored map is not used',
    'kernel/leases.ts',
    'entries: map.entries })\n  return runs\n',
    'entries: map.entries })\n  return []\n',
  ),
  one(
    'map is lost while reading catches up',
    'kernel/tracker.ts',
    'for (let at = this.#restoredNext; at < this.#restored.length; at += 2) {\n      const start',
    'for (let at = this.#restored.length; at < this.#restored.length; at += 2) {\n      const start',
  ),
  one(
    'truncated log keeps its map',
    'kernel/leases.ts',
    'const runs = clip(map.runs, start.logEnd - start.position)',
    'const runs = map.runs',
  ),
  one('no size guard', 'kernel/commit.ts', 'maxChars: state.mapMaxChars,', 'maxChars: 1_000_000,'),
  one(
    'a refused map is sent again as it is',
    'kernel/commit.ts',
    "else if (outcome === 'too-large') shrinkMap(state, flight.chars)",
    '',
  ),
  one('pipelined commits', 'kernel/commit.ts', 'else if (lease.commit.flight !== null) later.push(lease)', ''),
  one(
    'commit error taken as success',
    'kernel/commit.ts',
    "if (outcome === 'ok') {\n    commit.ackedVersion",
    "if (outcome !== 'too-large') {\n    commit.ackedVersion",
  ),
  one(
    'no healing of late commits',
    'kernel/commit.ts',
    'commit.lateUntilMs = nowMs + lateMs',
    'commit.lateUntilMs = 0',
  ),
  one(
    'restored records do not mark the partition dirty',
    'kernel/admission.ts',
    'touch(state, lease, nowMs)\n        state.totals.restored++',
    'state.totals.restored++',
  ),
  one('log hole stalls', 'kernel/tracker.ts', 'if (position <= this.admittedEnd) return false', 'return false'),

  // Leases.
  {
    name: 'no epoch check',
    edits: [
      {
        file: 'kernel/settlement.ts',
        find: 'const slot = locate(state, settlement)\n  if (slot === NONE) {\n    state.totals.stale++\n    return\n  }\n  const was',
        replace:
          'const slot = search(state, state.leaseOf(settlement)?.epoch ?? settlement.epoch, settlement.offset)\n  if (slot === NONE) {\n    state.totals.stale++\n    return\n  }\n  const was',
      },
      {
        file: 'kernel/settlement.ts',
        find: 'return run === undefined || run === state.slots.run[slot]',
        replace: 'return run === run && state.slots.run[slot] !== undefined',
      },
    ],
  },
  one('keep a stale lease', 'kernel/leases.ts', "if (lease !== null) fence(state, lease, 'lost')", ''),
  one('buffer count leaks on revoke', 'kernel/leases.ts', '  state.records -= lease.records\n', ''),
  one(
    'key not held',
    'kernel/leases.ts',
    'if (key !== null) lease.home.heldKeys.set(key, (lease.home.heldKeys.get(key) ?? 0) + 1)',
    '',
  ),
  one('held key is never let go', 'kernel/settlement.ts', 'home.heldKeys.delete(key)\n', ''),
  {
    name: 'dispatch after revoke',
    edits: [
      {
        file: 'kernel/leases.ts',
        find: '  if (leases.length === 0) releaseRevocation(state, revocation)\n',
        replace: "  state.out.add({ kind: 'released', revocation })\n",
      },
      {
        file: 'kernel/leases.ts',
        find: 'if (was === READY) takeFromReady(state, slot)\n    if (was === READY || was === QUEUED || was === WAITING || was === STAGED) release(state, slot)',
        replace: 'if (was === 99) release(state, slot)',
      },
      {
        file: 'kernel/leases.ts',
        find: "if (state.options.delivery !== 'at-most-once') detachLanes(state, lease)",
        replace: '',
      },
      {
        file: 'kernel/scheduler.ts',
        find: "return lease.isOpen || (lease.state === 'draining' && state.options.delivery === 'at-most-once')",
        replace: "return lease.isOpen || lease.state === 'draining'",
      },
    ],
  },
  one(
    'revoke acknowledged before the final commit',
    'kernel/leases.ts',
    "if (!(lease.isDirty || lease.mustHeal)) return 'fence'",
    "if (nowMs >= 0) return 'fence'",
  ),

  // Order and records.
  one(
    'key identity by reference',
    'kernel/admission.ts',
    'state.lanes.push(lease, slot, hashes[at]!, hashes[at + 1]!)',
    'state.lanes.push(lease, slot, hashes[at]! ^ state.slots.offset[slot]!, hashes[at + 1]!)',
  ),
  one(
    'retry to the tail',
    'kernel/settlement.ts',
    'slots.state[slot] = QUEUED\n      return offer(state, state.lanes.pauseWork(slot), nowMs)',
    `{
        const lease = slots.lease[slot]!
        const key = state.lanes.keyOf(slot)
        offer(state, state.lanes.finish(lease, slot), nowMs)
        slots.state[slot] = QUEUED
        return offer(state, key === null ? slot : state.lanes.push(lease, key, slot), nowMs)
      }`,
  ),
  one(
    'a key goes on while its record waits for a retry',
    'kernel/records.ts',
    "state.due.push(slot, atMs)\n  state.out.notice({ kind: 'retry'",
    "state.due.push(slot, atMs)\n  offer(state, state.lanes.finish(lease, slot), nowMs)\n  state.out.notice({ kind: 'retry'",
  ),
  one(
    'swallowed failure',
    'kernel/settlement.ts',
    'failed(state, slot, settlement, nowMs, spread(chance, settlement.offset))',
    'handled(state, slot, null, nowMs)',
  ),
  one(
    'dead-letter failure ignored',
    'kernel/records.ts',
    "if (result.ok) {\n    if (state.options.delivery !== 'exactly-once') {",
    "if (result !== null) {\n    if (state.options.delivery !== 'exactly-once') {",
  ),
  one(
    'a parked key is never let go',
    'kernel/breaker.ts',
    'if (home.lease !== null && !home.pausedKeys.has(key)) offer(state, state.lanes.unpark(home.lease, key), nowMs)',
    '',
  ),
  one(
    'double completion',
    'kernel/settlement.ts',
    'return run === undefined || run === state.slots.run[slot]',
    'return run === run && state.slots.run[slot] !== undefined',
  ),
  one(
    'deferred taken as done',
    'kernel/settlement.ts',
    'slots.state[slot] = DEFERRED\n    return\n',
    'return handled(state, slot, null, nowMs)\n',
  ),
  one(
    'returned taken as done',
    'kernel/settlement.ts',
    "if (settlement.status === 'returned') return returned(state, slot, nowMs)",
    "if (settlement.status === 'returned') return handled(state, slot, null, nowMs)",
  ),
  one(
    'finished before its outputs are written',
    'kernel/records.ts',
    'if (sends === null || sends.length === 0) {\n    complete(state, slot, nowMs)\n    return\n  }',
    "if (sends !== null && sends.length > 0) state.out.publish({ work: state.workId(slot), sends })\n  if (options.delivery === 'at-least-once') return complete(state, slot, nowMs)\n  if (sends === null || sends.length === 0) {\n    complete(state, slot, nowMs)\n    return\n  }",
  ),
  one(
    'a retry that is due is forgotten',
    'kernel/due-queue.ts',
    'if (this.#size === this.#due.length) this.#makeRoom()',
    'if (this.#size >= 3) return',
  ),

  // Limits.
  one(
    'no backpressure',
    'kernel/admission.ts',
    "size > bytesLeft) && !isEmpty(state)) return 'full'",
    "size > bytesLeft) && state.bytes < 0) return 'full'",
  ),
  one(
    'batch dropped when full',
    'kernel/admission.ts',
    "if ((recordsLeft-- <= 0 || size > bytesLeft) && !isEmpty(state)) return 'full'",
    "if ((recordsLeft-- <= 0 || size > bytesLeft) && !isEmpty(state)) {\n        backlog.length = 0\n        lease.backlogAt = 0\n        lease.backlogRecords = 0\n        return 'empty'\n      }",
  ),
  one('paused for ever', 'kernel/pressure.ts', "else if (load <= resumeAt) lease.pauses.delete('backpressure')", ''),
  one(
    'who waits for the pool is forgotten',
    'kernel/admission.ts',
    "else if (outcome === 'full' && !isMapFull(lease)) enqueuePool(state, lease)",
    '',
  ),
  one(
    'the pool is never given',
    'kernel/admission.ts',
    'while (poolQueue.size > 0 && !isFull(state)) {',
    'while (poolQueue.size > 1_000_000) {',
  ),
  one(
    'always full',
    'kernel/budget.ts',
    'return !isEmpty(state) && (state.records >= limits.records || state.bytes >= limits.bytes)',
    'return limits.records > 0',
  ),
  one(
    'what the pool has given leaks',
    'kernel/budget.ts',
    '  budget.usedRecords += over(lease.records + records',
    '  void over(lease.records + records',
  ),
  one(
    'shares stay as they were when a partition goes',
    'kernel/leases.ts',
    'state.leases.delete(lease.epoch)\n  state.budget.isStale = true',
    'state.leases.delete(lease.epoch)',
  ),
  one('not resumed when its backlog is gone', 'kernel/admission.ts', '    enqueueResume(state, lease)\n', ''),
  one(
    'any number may wait for a transaction',
    'kernel/budget.ts',
    'const most = state.options.limits.records + restMax(state.options)',
    'const most = 1_000_000',
  ),
  one('what waits for a transaction counts for ever', 'kernel/leases.ts', '  state.resting -= lease.resting\n', ''),
  one('outputs are not un-counted', 'kernel/records.ts', 'addBytes(state, slot, -sizeOf(sends))', ''),

  // At-most-once.
  one(
    'at-most-once runs before the commit is answered',
    'kernel/admission.ts',
    'slots.state[slot] = STAGED\n    lease.staged.push(slot)\n    dueAt(state, nowMs)\n    return',
    'lease.unstarted++\n    dueAt(state, nowMs)',
  ),
  one(
    'at-most-once takes silence for an answer',
    'kernel/at-most-once.ts',
    "if (outcome === 'unknown') return true\n  if (outcome !== 'ok') {",
    "if (outcome !== 'ok' && outcome !== 'unknown') {",
  ),
  {
    name: 'at-most-once tries again',
    edits: [
      {
        file: 'kernel/retry.ts',
        find: " || options.delivery === 'at-most-once') return EXHAUSTED",
        replace: ') return EXHAUSTED',
      },
      { file: 'consumer/kernel-options.ts', find: "delivery === 'at-most-once' ? 1 : ", replace: '' },
    ],
  },

  // Exactly-once.
  one(
    'exactly-once replay on unknown outcome',
    'kernel/transaction.ts',
    "if (outcome.kind === 'unknown') return startOver(state, members)",
    '',
  ),
  one(
    'read offsets before fencing',
    'runtime/runtime.ts',
    `      await client.resetProducer()
      this.post({ kind: 'producerReady' })
    }
    for (let`,
    `      const early = await client.readPositions(command.leases)
      await client.resetProducer()
      this.post({ kind: 'producerReady' })
      return this.post({ kind: 'opened', starts: early })
    }
    for (let`,
  ),
  one(
    'fetch offsets without RequireStable',
    'clients/native/positions/positions.ts',
    ': { groups: [{ groupId, topics }], requireStable: true }',
    ': { groups: [{ groupId, topics }], requireStable: false }',
  ),
  one('exactly-once with a truncated map', 'kernel/transaction.ts', 'truncate: false,', 'truncate: true,'),
  one(
    'outputs of an aborted transaction are lost',
    'kernel/transaction.ts',
    'for (const slot of slots) state.slots.state[slot] = FINISHED\n    relist(state, lease)',
    'for (const slot of slots) {\n      state.slots.state[slot] = FINISHED\n      dropOutputs(state, slot)\n    }\n    relist(state, lease)',
  ),
  one(
    'outputs join in the wrong order',
    'kernel/transaction.ts',
    'const slots = candidates.filter((slot) => state.slots.state[slot] === JOINED)',
    'const slots = candidates.filter((slot) => state.slots.state[slot] === JOINED).reverse()',
  ),
  one(
    'input order is not kept',
    'kernel/transaction.ts',
    "if (state.options.output === 'finished') return lease.finished",
    'return lease.finished',
  ),
  one(
    'running records join a transaction',
    'kernel/tracker.ts',
    'if (state[slot] === JOINED) continue',
    'if (state[slot] === JOINED || state[slot] === 4) continue',
  ),

  // The client: what is ours.
  one(
    'what is taken is not waited for',
    'clients/native/group/classic/membership.ts',
    'await holdings.giveUp(taken, stay.ended.promise)',
    'void holdings.giveUp(taken, stay.ended.promise)',
  ),
  one(
    'eager members keep their partitions while they join',
    'clients/native/group/classic/membership.ts',
    'if (this.#isEager) await holdings.giveUp(ownership.partitions, stay.ended.promise)',
    '',
  ),
  one(
    'the end of a stay loses nothing',
    'clients/native/group/classic/membership.ts',
    'ended.resolve()\n    this.#parts.holdings.loseAll()',
    'ended.resolve()',
  ),
  one(
    'partitions are given away while somebody owns them',
    'clients/native/group/assignors/cooperative-sticky.ts',
    'return claim === undefined || claim.memberId === memberId',
    'return claim === undefined || claim.memberId !== undefined',
  ),
  one(
    'heartbeats stop during a rebalance',
    'clients/native/group/classic/membership.ts',
    "if (!this.#is('joined')) return\n    this.#phase = 'rejoin'",
    "if (!this.#is('joined')) return\n    this.#beats.speakAs(null)\n    this.#phase = 'rejoin'",
  ),
  one(
    'the coordinator is never looked for again',
    'cluster/coordinator.ts',
    '(code === null || hasCoordinatorMoved(code)) && this.#node?.nodeId === node',
    'code === null && hasCoordinatorMoved(0) && this.#node?.nodeId === node',
  ),

  // The client: where reading starts and goes on.
  one(
    'a log that was cut is read on as if nothing had happened',
    'clients/native/positions/start-position.ts',
    'const isCut = epochEnd !== null && epochEnd.offset >= 0 && epochEnd.offset < stored.offset',
    'const isCut = epochEnd !== null && epochEnd.offset < -1',
  ),
  one(
    'the map is believed beyond where the log was cut',
    'clients/native/positions/start-position.ts',
    'if (epochEnd === null) return end.offset',
    'if (epochEnd === null || stored !== null) return end.offset',
  ),
  one(
    'an election is not looked into',
    'clients/native/fetch/repair.ts',
    'if (end.offset < Math.max(target.position, target.logEnd)) this.#renew(target)\n    else target.leaderEpoch',
    'target.leaderEpoch',
  ),
  one(
    'reading without a leader epoch',
    'clients/native/fetch/fetch-target.ts',
    '(this.#checkedLeaders.get(key) ?? -1)',
    '(this.#checkedLeaders.size < 0 ? 0 : -1)',
  ),
  one(
    'a leader that has moved is not looked for',
    'clients/native/fetch/repair.ts',
    'else if (code !== errorCodes.UNKNOWN_LEADER_EPOCH) await this.#asker.metadata.refresh([target.topic])',
    '',
  ),
  one(
    'aborted records are seen',
    'clients/native/fetch/batch-reader.ts',
    'return !(header.isTransactional(bytes, at) && this.#aborting.has(header.producerId(bytes, at)))',
    'return this.#aborting.size >= 0',
  ),
  one(
    'an aborted producer is skipped for ever',
    'clients/native/fetch/batch-reader.ts',
    "if (this.#aborting.size > 0 && readMarker(bytes, at)?.kind === 'abort') {",
    "if (this.#aborting.size < 0 && readMarker(bytes, at)?.kind === 'abort') {",
  ),
  one(
    'the next position is one too far',
    'clients/native/fetch/batch-reader.ts',
    'nextPosition = lastOffset + 1',
    'nextPosition = lastOffset + 2',
  ),
  one(
    'an answer with nothing to see does not move the position',
    'clients/native/fetch/fetcher.ts',
    'if (batches.length === 0) this.#bring(target, emptyBatch(epoch, nextPosition, logEnd, leaderEpoch), 0)',
    '',
  ),

  // The client: committing and writing.
  one(
    'silence about a commit is taken as success',
    'clients/native/commit/committer.ts',
    "if (code === undefined) outcomes.set(entry, 'unknown')",
    "if (code === undefined) outcomes.set(entry, 'ok')",
  ),
  one(
    'the end of a transaction is sent again after silence',
    'clients/native/produce/transaction.ts',
    "silence: 'ends' }",
    'silence: { repeats: () => undefined } }',
  ),
  one(
    'a lease that has ended commits in a transaction',
    'clients/native/produce/transaction.ts',
    'if (name === null || !isOurs) return errorCodes.UNKNOWN_MEMBER_ID',
    'if (name === null) return errorCodes.UNKNOWN_MEMBER_ID',
  ),
  one(
    'silence about a transaction is taken as an abort',
    'clients/native/produce/transaction.ts',
    "if (code === null) return { kind: 'unknown' }",
    "if (code === null) return { kind: 'aborted' }",
  ),
  one(
    'a moved leader is written to for ever',
    'clients/native/produce/transaction-writer.ts',
    'isLeaderElsewhere(answer.code)',
    'isLeaderElsewhere(-1 - answer.code * 0)',
  ),
]

/** Those that are noticed late, and where: it saves the seeds before. */
const noticedAt: Readonly<Record<string, number>> = {
  'no healing of late commits': 148,
  'restored records do not mark the partition dirty': 267,
  'map is lost while reading catches up': 1462,
  'revoke acknowledged before the final commit': 156,
  'fetch offsets without RequireStable': 233,
  'read offsets before fencing': 234,
  'exactly-once with a truncated map': 292,
  'outputs of an aborted transaction are lost': 292,
  'eager members keep their partitions while they join': 116,
  'what is taken is not waited for': 135,
  'heartbeats stop during a rebalance': 203,
  'the end of a transaction is sent again after silence': 1302,
  'silence about a transaction is taken as an abort': 224,
}

export const mutants: readonly Mutant[] = planted.map((mutant) => {
  const seed = noticedAt[mutant.name]
  return seed === undefined ? mutant : { ...mutant, seed }
})
