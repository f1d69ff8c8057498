// The client of every HTTP route, for programs, pages and operators alike.
import { type AskedRun, type AskOptions, askRun } from './ask.ts'
import { type FabricCalls, fabricCalls } from './calls.ts'
import type { FabricJsonObject } from './request-options.ts'
import type { FabricClientOptions } from './requests.ts'

/** A client of the HTTP routes, as `fabricClient` makes it. */
export interface FabricClient extends FabricCalls {
  /**
   * Sends a prompt, or a whole input, and gives the events of its run in a `for await` loop, and the outcome as `result`. It reconnects, and
   * a loop may be left at any time; `cancel` ends the run itself.
   */
  ask(agent: string, id: string, input: string | FabricJsonObject, options?: AskOptions): AskedRun
}

/** Makes a client of the HTTP routes. Every call throws a FabricError when the server refuses or does not answer. */
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
