// `npm run -s bridle -- …` in a checkout: the command in the folder where it was typed. npm changes to the root of the checkout and
// leaves that folder in INIT_CWD.
const { INIT_CWD: folder } = process.env
if (folder) process.chdir(folder)
await import('@bridle/cli/main')
