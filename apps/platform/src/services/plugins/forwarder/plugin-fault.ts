/** Says why a plugin gave no usable answer, in words for its company that say nothing about the platform's own network. @spec D1-2.11 */
export class PluginFault extends Error {
  override readonly name = 'PluginFault';
}
