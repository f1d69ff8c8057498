// Others who use the server while a fault strikes, beside the three sessions of a round.
import type { CrashWorld } from '../world.ts'

export interface Guest {
  /** The guest's part of a round. */
  readonly round: (number: number) => RoundGuest
  /** After the last round, when everything is at rest. */
  readonly finish?: () => Promise<void>
}

export interface RoundGuest {
  /** With the sessions, before the fault. */
  readonly begin: () => void
  /** After the fault: resolves when the guest has what it wanted, and its promises were checked. */
  readonly settle: () => Promise<void>
}

export type GuestMaker = (world: CrashWorld) => Guest
