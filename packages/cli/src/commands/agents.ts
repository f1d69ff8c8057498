import { clientOptions, defineCommand, outputOptions } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { createClient, repeatedFlags } from '../config/settings.ts'
import { printUnder } from '../terminal/fields.ts'
import { printTable } from '../terminal/table.ts'

export const agents = defineCommand({
  options: { ...clientOptions, ...outputOptions },
  notes: 'JSON rows also have the schema of the input, and the features of the engine.',
  run: async ({ flags, env, out }) => {
    const fabric = await createClient(flags, env)
    const { agents: rows } = await fabric.agents()
    if (out.isJson) rows.forEach(out.row)
    else if (rows.length === 0) out.note('No agents.')
    else {
      const cells = rows.map(({ name, engine, available, closed, capabilities, description }) => [
        name,
        [engine, capabilities?.version].filter(Boolean).join(' '),
        available ? (closed === undefined ? 'yes' : 'private') : 'no',
        description,
      ])
      const under = rows.map(({ models = [], model_choices: choices = [], needs, closed, warnings = [] }) => [
        ...(models.length === 0
          ? []
          : printUnder(out, models.length === 1 ? 'model' : 'models', models.join(', then '))),
        ...(choices.length === 0 ? [] : printUnder(out, 'choice', choices.map(({ id }) => id).join(', '))),
        ...(needs === undefined ? [] : printUnder(out, 'needs', needs)),
        // A broken agent must be fixed before it is opened.
        ...(needs === undefined && closed !== undefined ? printUnder(out, 'closed', closed) : []),
        ...warnings.flatMap((warning) => printUnder(out, 'warning', warning)),
      ])
      printTable(out, ['AGENT', 'ENGINE', 'READY', 'ABOUT'], cells, under)
      const first = rows.find(({ available, closed }) => available && closed === undefined)
      if (first) out.note(`\n${commandName(env)} run ${first.name} "Hello"${repeatedFlags(flags)}`)
    }
  },
})
