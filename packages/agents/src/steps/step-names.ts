// The names under which the log keeps steps: `name`, then `name#2` for the second one of that name. So a changed order does no harm.
import { isId } from '@bridle/kernel/event'
import { StepError } from './errors.ts'

/** Characters of the name of a step, a sleep or a signal: people read it in the log. */
const STEP_NAME_CHARS_MAX = 128

export class StepNames {
  readonly #counts = new Map<string, number>()
  readonly #active = new Set<string>()

  next(name: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, count)
    return count === 1 ? name : `${name}#${count}`
  }

  /** Runs work that must be the only one of its name: of two at once, nobody could say which result is whose. */
  async exclusive<T>(name: string, label: string, work: (key: string) => Promise<T>): Promise<T> {
    if (this.#active.has(name))
      throw new StepError(
        'step_name_in_use',
        `Two ${label} run at once. Give each a name of its own, for example with the id of its item.`,
      )
    this.#active.add(name)
    try {
      return await work(this.next(name))
    } finally {
      this.#active.delete(name)
    }
  }
}

/** Throws unless the name can stand in the log. `#` separates a name from its number. */
export const checkStepName = (name: unknown, method: string): void => {
  if (typeof name === 'string' && name !== '' && name.length <= STEP_NAME_CHARS_MAX && !name.includes('#')) return
  throw new StepError(
    'step_name_invalid',
    `${method} takes a name first: a text of 1 to ${STEP_NAME_CHARS_MAX} characters without "#".`,
  )
}

/** Throws unless a signal can have the name: on every wire it is an id, so nobody could answer a wait for another. */
export const checkSignalName = (name: unknown): void => {
  if (isId(name)) return
  throw new StepError(
    'step_name_invalid',
    'session.waitFor() takes the name of a signal first: 1 to 128 letters, digits and . _ : @ - in any order, but not . or .. alone.',
  )
}
