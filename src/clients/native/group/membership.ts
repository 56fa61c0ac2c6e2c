/** What the rest of the client needs of a membership, whichever of the two protocols it speaks. */

/** Who we are to the group, at one moment. */
export interface MemberName {
  readonly memberId: string
  /** The generation of the classic protocol, the member epoch of the consumer protocol. */
  readonly generationId: number
  readonly groupInstanceId: string | null
}

export interface Membership {
  start(): void
  /** null: not a member now. */
  memberName(): MemberName | null
  /** A request of this member, in this generation, was answered with this. */
  refused(name: MemberName, code: number): void
  /** Give up the membership and take a new one: requests of the old one are fenced. */
  rejoin(): void
  close(leave: boolean): Promise<void>
}
