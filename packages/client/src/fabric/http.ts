import { type AskedRun, type AskOptions, askRun } from './ask.ts'
import { type FabricCalls, fabricCalls } from './calls.ts'
import type { FabricJsonObject } from './request-options.ts'
import type { FabricClientOptions } from './requests.ts'

/** A client of the HTTP routes, created by `fabricClient`. */
export interface FabricClient extends FabricCalls {
  /**
   * Starts a run. Iterate over its events or await `result`. Reconnects automatically. Leaving a loop does not cancel the
   * run.
   */
  ask(agent: string, id: string, input: string | FabricJsonObject, options?: AskOptions): AskedRun
}

/** Creates a client of the HTTP routes. Calls throw a FabricError if the server refuses or does not respond. */
export const fabricClient = (options: FabricClientOptions): FabricClient => {
  const calls = fabricCalls(options)
  return {
    ...calls,
    ask: (agent, id, input, askOptions = {}) =>
      askRun(calls, agent, id, typeof input === 'string' ? { prompt: input } : input, askOptions),
  }
}

/**
 * A client of the HTTP routes.
 * @deprecated Use `FabricClient`. The next release removes this name.
 */
export type OperatorClient = FabricClient

/**
 * Makes a client of the HTTP routes.
 * @deprecated Use `fabricClient`. The next release removes this name.
 */
export const operatorClient = (options: FabricClientOptions): FabricClient => fabricClient(options)
