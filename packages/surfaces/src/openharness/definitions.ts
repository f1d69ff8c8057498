import {
  actionDirective,
  attachmentRef,
  auth,
  capabilities,
  capabilityDenial,
  context,
  continuation,
  environmentState,
  errorObject,
  extensions,
  requestMessage,
  requestPayload,
  responseMessage,
  responsePayload,
  semverString,
  shellIdentity,
  taskHint,
} from '@bridle/wire/openharness/wire/messages'
import * as v from 'valibot'
import { definitionsSchema } from '../http/openapi/json-schemas.ts'

/** Exactly one of the two matches. */
export const isMessage = (value: unknown): boolean => v.is(requestMessage, value) !== v.is(responseMessage, value)

/** JSON Schema draft 2020-12, with the definition names of the normative draft. */
export const messageSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'OpenHarness wire message (v1)',
  oneOf: [{ $ref: '#/$defs/requestMessage' }, { $ref: '#/$defs/responseMessage' }],
  $defs: definitionsSchema({
    semverString,
    requestMessage,
    responseMessage,
    capabilities,
    capabilityDenial,
    requestPayload,
    auth,
    context,
    taskHint,
    continuation,
    attachmentRef,
    shellIdentity,
    environmentState,
    extensions,
    responsePayload,
    actionDirective,
    errorObject,
  }),
})
