// The words about an agent that a server does not have.
import type { FabricClient } from '../../client/index.ts'
import { EXIT_CODES, ExitError } from '../command.ts'

/** Null where the server has the agent after all. */
export const unknownAgent = async (fabric: Pick<FabricClient, 'ready'>, agent: string): Promise<ExitError | null> => {
  const { agents = [] } = await fabric.ready()
  if (agents.some(({ name }) => name === agent)) return null
  // An agent that cannot run here would only meet the next refusal.
  const names = agents.filter(({ available }) => available).map(({ name }) => name)
  const others = names.length === 0 ? '' : `; there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`
  return new ExitError(EXIT_CODES.failed, `There is no agent ${agent}${others}.`)
}
