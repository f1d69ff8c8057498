// The operator's word about what the clients of a line may ask for.

/** The operator lets clients add instructions, unless the options or the environment forbid it. */
export const voiceAccess = (
  { voiceInstructions = true }: { readonly voiceInstructions?: boolean },
  { BRIDLE_VOICE_INSTRUCTIONS: setting }: { readonly BRIDLE_VOICE_INSTRUCTIONS?: string | undefined },
): { readonly voiceInstructions: boolean } => ({ voiceInstructions: voiceInstructions && setting !== '0' })
