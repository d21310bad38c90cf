import { fromJsonSchema, type StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import type { JsonObject } from '../model/json.ts'
import type { Schema } from '../verbs/schema.ts'

/** Checks without compiling schemas to code. */
export const validator = new CfWorkerJsonSchemaValidator()

/** Returns a schema as the server takes it: what it gets and sends is checked by what it lists. */
export const schemaFor = <T = JsonObject>(schema: Schema): StandardSchemaWithJSON<T, T> =>
  fromJsonSchema<T>(schema as JsonObject, validator)
