// How this command was called, so that a hint is a command that works where it is read.

/** `bridle`, or what stands for it: a script of the checkout, or a program of the project that npx finds. */
export const commandName = (env: NodeJS.ProcessEnv = process.env, program = process.argv[1] ?? ''): string => {
  if (env.npm_lifecycle_event === 'bridle' && /[\\/](scripts|cli)[\\/](main|bridle)\.ts$/.test(program))
    return 'npm run -s bridle --'
  return /[\\/]node_modules[\\/]\.bin[\\/]/.test(program) ? 'npx bridle' : 'bridle'
}
