/** The members that a group of the consumer protocol begins with, if it was one of the classic protocol before. */
import type { Member } from './member.ts'

export interface Founders {
  /** Of the group, of its first target and of each member. */
  readonly epoch: number
  readonly members: readonly Member[]
}
