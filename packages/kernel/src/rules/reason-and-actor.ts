// The reason and the actor of an operator's command, as far as the command names them.
export const reasonAndActor = ({
  reason,
  actor,
}: {
  readonly reason?: string | undefined
  readonly actor?: string | undefined
}) => ({
  ...(reason !== undefined && { reason }),
  ...(actor !== undefined && { actor }),
})
