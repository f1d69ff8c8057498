// The permission modes of engines, by how strict they are. The operator sets the mode of an agent, and a session may only tighten it.

/**
 * For each mode, the modes that it tightens. The order is partial: whether `dontAsk` is stricter than `default` depends on the engine, so
 * neither replaces the other. A mode that the table does not name tightens nothing.
 */
const TIGHTENS: { readonly [mode: string]: readonly string[] } = {
  plan: ['default', 'acceptEdits', 'dontAsk', 'auto', 'bypassPermissions'],
  default: ['acceptEdits', 'auto', 'bypassPermissions'],
  acceptEdits: ['auto', 'bypassPermissions'],
  dontAsk: ['bypassPermissions'],
  auto: ['bypassPermissions'],
  bypassPermissions: [],
}

/** Engines ask where the operator names no mode, or one that they do not know. */
const ASKS = 'default'

/** The mode of the agent, or that of the session if it is stricter. */
export const stricterMode = (agent: string | undefined, session: unknown): string | undefined => {
  const own = agent !== undefined && Object.hasOwn(TIGHTENS, agent) ? agent : ASKS
  const isStricter = typeof session === 'string' && Object.hasOwn(TIGHTENS, session) && TIGHTENS[session]?.includes(own)
  return isStricter ? session : agent
}
