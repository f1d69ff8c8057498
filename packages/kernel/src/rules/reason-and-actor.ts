import { present } from '@bridle/events/json'

export const reasonAndActor = ({
  reason,
  actor,
}: {
  readonly reason?: string | undefined
  readonly actor?: string | undefined
}) => present({ reason, actor })
