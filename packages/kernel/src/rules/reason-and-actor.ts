// The reason and the actor of an operator's command, as far as the command names them.
import { present } from '@bridle/events/json'

export const reasonAndActor = ({
  reason,
  actor,
}: {
  readonly reason?: string | undefined
  readonly actor?: string | undefined
}) => present({ reason, actor })
