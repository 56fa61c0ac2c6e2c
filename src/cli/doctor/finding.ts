/** What the doctor says about one thing it looked at. */

export interface Finding {
  readonly check: string
  readonly state: 'fine' | 'notice' | 'wrong' | 'unknown'
  readonly message: string
  /** What to change; null: nothing. */
  readonly fix: string | null
}

export const fine = (check: string, message: string): Finding => ({ check, state: 'fine', message, fix: null })

export const notice = (check: string, message: string, fix: string): Finding => ({
  check,
  state: 'notice',
  message,
  fix,
})

export const wrong = (check: string, message: string, fix: string): Finding => ({ check, state: 'wrong', message, fix })

/** We could not look: that is neither good nor bad. */
export const unknown = (check: string, message: string): Finding => ({ check, state: 'unknown', message, fix: null })
