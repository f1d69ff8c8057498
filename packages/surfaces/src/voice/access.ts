/** Allowed unless options or environment forbid it. */
export const voiceAccess = (
  { voiceInstructions = true }: { readonly voiceInstructions?: boolean },
  { BRIDLE_VOICE_INSTRUCTIONS: setting }: { readonly BRIDLE_VOICE_INSTRUCTIONS?: string | undefined },
): { readonly voiceInstructions: boolean } => ({ voiceInstructions: voiceInstructions && setting !== '0' })
