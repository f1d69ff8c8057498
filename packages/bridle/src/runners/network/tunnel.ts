// Two connections joined into one: bytes pass both ways, an end that finishes is passed on as such, and the other direction
// goes on until it finishes too, an error ends both, or neither says anything for too long.
import type { Socket } from 'node:net'

export interface TunnelLimits {
  readonly idleMs: number
  /** The silence that is allowed after one side has finished. */
  readonly halfOpenMs: number
}

export const joinSockets = (one: Socket, other: Socket, { idleMs, halfOpenMs }: TunnelLimits): void => {
  const end = () => {
    one.destroy()
    other.destroy()
  }
  const follow = (from: Socket, to: Socket) => {
    from.setTimeout(idleMs, end)
    from.on('error', end)
    from.once('end', () => {
      from.setTimeout(halfOpenMs)
      to.setTimeout(halfOpenMs)
    })
    // Bytes that are still on their way to a slow reader arrive first; the time limit above bounds how long.
    from.once('close', (hadError) => (hadError ? end() : to.destroySoon()))
    if (from.destroyed) end()
    else from.pipe(to)
  }
  follow(one, other)
  follow(other, one)
}
