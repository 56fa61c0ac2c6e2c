/** What must hold between the answers of one coordinator, whatever was asked. */
import assert from 'node:assert/strict'
import type { Request, Response } from '../../../../../src/testing/sim/cluster/requests.ts'

interface Generation {
  leader: string | null
  readonly assignments: Map<string, string>
}

export class Invariants {
  readonly #latest = new Map<string, number>()
  readonly #generations = new Map<string, Generation>()

  /** A new coordinator may go back to the last generation that was stored. */
  moved(): void {
    this.#latest.clear()
    this.#generations.clear()
  }

  heard(request: Request, response: Response): void {
    if (response.kind === 'JoinGroup' && request.kind === 'JoinGroup' && response.errorCode === 'NONE') {
      this.#joined(request.groupId, response)
    }
    if (response.kind === 'SyncGroup' && request.kind === 'SyncGroup' && response.errorCode === 'NONE') {
      this.#synced(request.groupId, request.generationId, request.memberId, JSON.stringify(response.assignment))
    }
  }

  #joined(groupId: string, answer: Extract<Response, { kind: 'JoinGroup' }>): void {
    const { generationId, leader, memberId, members } = answer
    assert.ok(generationId >= (this.#latest.get(groupId) ?? 0), 'generations never go back')
    this.#latest.set(groupId, generationId)
    const generation = this.#generation(groupId, generationId)
    // A static leader that was started again leads on under its new id.
    const isSame = generation.leader === null || generation.leader === leader || leader.startsWith('static-')
    assert.ok(isSame, `generation ${generationId} has two leaders: ${generation.leader} and ${leader}`)
    generation.leader = leader
    assert.equal(members.length > 0, leader === memberId, 'the leader, and nobody else, is told who is in the group')
    if (leader === memberId) assert.ok(members.some((member) => member.memberId === leader))
  }

  #synced(groupId: string, generationId: number, memberId: string, assignment: string): void {
    const { assignments } = this.#generation(groupId, generationId)
    assert.equal(assignments.get(memberId) ?? assignment, assignment, 'an assignment never changes in its generation')
    assignments.set(memberId, assignment)
    const given = [...assignments.values()].filter((one) => one !== 'null')
    assert.equal(new Set(given).size, given.length, 'nothing is assigned to two members of one generation')
  }

  #generation(groupId: string, generationId: number): Generation {
    const name = `${generationId}/${groupId}`
    const known = this.#generations.get(name) ?? { leader: null, assignments: new Map() }
    this.#generations.set(name, known)
    return known
  }
}
