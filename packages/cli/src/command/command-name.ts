// How this command was called, so that a hint is a command that works where it is read.

// Scripts of the checkout that a person types. Tests start the command below `npm test`, and read the same hint without npm.
const checkoutScript = /^(bridle|start|example:.+)$/

/** `bridle`, or what stands for it: a script of the checkout, or a program of the project that npx finds. */
export const commandName = (env: NodeJS.ProcessEnv = process.env, program = process.argv[1] ?? ''): string => {
  if (
    checkoutScript.test(env.npm_lifecycle_event ?? '') &&
    /[\\/](cli[\\/]src[\\/]main|scripts[\\/]bridle)\.ts$/.test(program)
  )
    return 'npm run -s bridle --'
  return /[\\/]node_modules[\\/]\.bin[\\/](bridle|fh)$/.test(program) ? 'npx bridle' : 'bridle'
}
