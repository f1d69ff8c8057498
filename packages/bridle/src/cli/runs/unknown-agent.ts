// The words about an agent that a server does not have.
import type { FabricClient } from '../../client/index.ts'
import { EXIT_CODES, ExitError } from '../command.ts'

/** Null where the server has the agent after all. */
export const unknownAgent = async (fabric: Pick<FabricClient, 'ready'>, agent: string): Promise<ExitError | null> => {
  const { agents = [] } = await fabric.ready()
  const names = agents.map(({ name }) => name)
  return names.includes(agent)
    ? null
    : new ExitError(EXIT_CODES.failed, `There is no agent ${agent}; there are ${names.join(', ')}.`)
}
