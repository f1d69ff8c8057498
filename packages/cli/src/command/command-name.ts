// How the command was called, so that hints can be copied and run.

// Scripts of the checkout that people type. Tests run below `npm test` and get the hint without npm.
const checkoutScript = /^(bridle|start|example:.+)$/

/** `bridle`, an npm script of the checkout, or `npx` for a project dependency. */
export const commandName = (env: NodeJS.ProcessEnv = process.env, program = process.argv[1] ?? ''): string => {
  if (
    checkoutScript.test(env.npm_lifecycle_event ?? '') &&
    /[\\/](cli[\\/]src[\\/]main|scripts[\\/]bridle)\.ts$/.test(program)
  )
    return 'npm run -s bridle --'
  return /[\\/]node_modules[\\/]\.bin[\\/](bridle|fh)$/.test(program) ? 'npx bridle' : 'bridle'
}
